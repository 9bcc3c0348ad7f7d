package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.BridgeSettings;
import dev.couchjobs.bridge.internal.action.CommandLimits;
import dev.couchjobs.bridge.internal.action.ShellSettings;
import dev.couchjobs.bridge.internal.document.NameSuggestion;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The settings of a configuration that can be changed while its bridge runs. */
final class ChangedConfig {
    private ChangedConfig() {}

    static BridgeSettings settings(BridgeConfig config) {
        Map<String, Integer> concurrency = new TreeMap<>();
        config.workItems().forEach((kind, item) -> concurrency.put(kind, item.concurrency()));
        CommandLimits limits = config.shell().limits();
        return new BridgeSettings(
                OptionalInt.of(config.workers()),
                concurrency,
                Optional.of(config.claimTimeout()),
                Optional.of(config.couchdb().heartbeat()),
                Optional.empty(),
                Optional.empty(),
                limits.memory(),
                limits.processor());
    }

    static BridgeConfig of(BridgeConfig file, BridgeSettings settings) {
        CommandLimits limits = file.shell().limits();
        ShellSettings shell = file.shell()
                .limited(new CommandLimits(
                        settings.memoryLimit().isPresent() ? settings.memoryLimit() : limits.memory(),
                        settings.processorLimit().or(limits::processor)));
        return new BridgeConfig(
                file.node(),
                file.cluster(),
                file.join(),
                couch(file, settings),
                file.others(),
                file.engine(),
                settings.workers().orElse(file.workers()),
                settings.claimTimeout().orElse(file.claimTimeout()),
                shell,
                file.http(),
                file.replication(),
                workItems(file, settings.concurrency()));
    }

    /** The user and the password are those of the file for that server: the settings contain no address. */
    private static CouchConfig couch(BridgeConfig file, BridgeSettings settings) {
        CouchConfig own = file.couchdb();
        ReplicationConfig.Peer server = settings.server()
                .map(name -> other(file.others(), name))
                .orElseGet(() -> new ReplicationConfig.Peer(own.url(), own.credentials()));
        return new CouchConfig(
                settings.database().map(name -> onServer(server.url(), name)).orElse(server.url()),
                server.credentials(),
                own.caFile(),
                own.isCreated(),
                settings.heartbeat().orElse(own.heartbeat()));
    }

    private static ReplicationConfig.Peer other(SortedMap<String, ReplicationConfig.Peer> others, String name) {
        return Optional.ofNullable(others.get(name))
                .orElseThrow(() -> new IllegalArgumentException(
                        "server: couchdb.others of the node's file has no " + name + hint(name, others.keySet())));
    }

    private static String hint(String name, Set<String> known) {
        return NameSuggestion.hint(name, known);
    }

    private static URI onServer(URI address, String database) {
        String text = address.toString();
        String withoutSlash = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        return URI.create(withoutSlash.substring(0, withoutSlash.lastIndexOf('/') + 1)
                + database.replace("/", "%2F").replace("+", "%2B"));
    }

    private static SortedMap<String, WorkItemConfig> workItems(BridgeConfig file, Map<String, Integer> concurrency) {
        SortedMap<String, WorkItemConfig> items = new TreeMap<>(file.workItems());
        concurrency.forEach((kind, number) -> {
            WorkItemConfig before = Optional.ofNullable(items.get(kind))
                    .orElseThrow(() -> new IllegalArgumentException(
                            "concurrency: work_items of the node's file has no " + kind + hint(kind, items.keySet())));
            items.put(kind, new WorkItemConfig(before.action(), number, before.retry(), before.timeout()));
        });
        return items;
    }
}
