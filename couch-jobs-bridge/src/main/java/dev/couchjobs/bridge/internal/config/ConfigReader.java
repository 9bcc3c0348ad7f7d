package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.internal.action.HttpSettings;
import dev.couchjobs.bridge.internal.action.ShellSettings;
import dev.couchjobs.bridge.internal.document.NameSuggestion;
import dev.couchjobs.bridge.internal.document.NodeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.toml.TomlMapper;

/** Reads a configuration file in TOML. {@code bridge.toml} in the distribution shows all settings. */
public final class ConfigReader {
    /** A placeholder for a missing name, so that the error is reported once. */
    private static final String NO_NODE = "unnamed";

    private static final int DEFAULT_WORKERS = 4;
    private static final Duration DEFAULT_CLAIM_TIMEOUT = Duration.ofMinutes(5);

    private final Path directory;
    private final Map<String, String> variables;
    private final List<String> mistakes = new ArrayList<>();

    private ConfigReader(Path directory, Map<String, String> variables) {
        this.directory = directory;
        this.variables = variables;
    }

    /**
     * Reads a file.
     *
     * @param file the file; relative paths in it start at its directory
     * @param variables the variables of the process, from which passwords may be read
     * @param handlers the names of all handlers in Java; empty if they are not known
     * @return the configuration
     * @throws ConfigException if the file cannot be read or is invalid
     */
    public static BridgeConfig read(Path file, Map<String, String> variables, Optional<Set<String>> handlers)
            throws ConfigException {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new ConfigException(List.of("cannot be read: " + e));
        }
        Path directory = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(Path.of(""));
        return parse(text, directory, variables, handlers);
    }

    static BridgeConfig parse(
            String toml, Path directory, Map<String, String> variables, Optional<Set<String>> handlers)
            throws ConfigException {
        ObjectNode root;
        try {
            root = (ObjectNode) new TomlMapper().readTree(toml);
        } catch (JacksonException e) {
            throw new ConfigException(List.of(place(e.getLocation()) + "not TOML: " + e.getOriginalMessage()));
        }
        ConfigReader reader = new ConfigReader(directory, variables);
        BridgeConfig config = reader.config(new ConfigSection("", root, reader.mistakes));
        handlers.ifPresent(names -> reader.mistakes.addAll(config.missing(names, false)));
        if (!reader.mistakes.isEmpty()) {
            throw new ConfigException(reader.mistakes);
        }
        return config;
    }

    private static String place(TokenStreamLocation location) {
        return location == null ? "" : "line " + location.getLineNr() + ": ";
    }

    private BridgeConfig config(ConfigSection root) {
        String node = root.required("node");
        ConfigSection cluster = root.section("cluster");
        List<String> nodes = cluster.texts("nodes").orElse(List.of(node.isEmpty() ? NO_NODE : node));
        NodeDirectory all = cluster(cluster, nodes);
        BridgeConfig.Join join = join(cluster);
        cluster.end();
        if (!node.isEmpty() && !nodes.contains(node)) {
            root.mistake("node", "'" + node + "' is not one of cluster.nodes" + NameSuggestion.hint(node, nodes));
        }
        EngineConfig engine = engine(root.section("engine"), join);
        CouchReader couch = new CouchReader(directory, variables);
        ActionsReader actions = new ActionsReader(directory);
        ConfigSection couchSection = root.section("couchdb");
        SortedMap<String, ReplicationConfig.Peer> others = couch.others(couchSection.section("others"));
        CouchConfig couchdb = couch.couch(couchSection);
        ReplicationConfig replication = couch.replication(root.section("replication"), node, nodes);
        ShellSettings shell = actions.shell(root.section("shell"), couch.secrets());
        HttpSettings http = actions.http(root.section("http"));
        BridgeConfig config = new BridgeConfig(
                node,
                all,
                join,
                couchdb,
                others,
                engine,
                root.number("workers", 1, DEFAULT_WORKERS),
                root.duration("claim_timeout").orElse(DEFAULT_CLAIM_TIMEOUT),
                shell,
                http,
                replication,
                actions.workItems(root.section("work_items"), shell, http));
        root.end();
        return config;
    }

    /** Applies the same checks as the readers of targets. */
    private static NodeDirectory cluster(ConfigSection section, List<String> nodes) {
        ConfigSection groups = section.section("groups");
        Map<String, List<String>> members = new LinkedHashMap<>();
        groups.names().forEach(group -> groups.texts(group).ifPresent(names -> members.put(group, names)));
        try {
            return NodeDirectory.of(nodes, members);
        } catch (IllegalArgumentException e) {
            section.mistake(members.isEmpty() ? "nodes" : "groups", String.valueOf(e.getMessage()));
            return NodeDirectory.of(NO_NODE);
        }
    }

    private static BridgeConfig.Join join(ConfigSection cluster) {
        return cluster.text("join")
                .flatMap(text -> {
                    for (BridgeConfig.Join join : BridgeConfig.Join.values()) {
                        if (join.name().toLowerCase(Locale.ROOT).equals(text)) {
                            return Optional.of(join);
                        }
                    }
                    cluster.mistake("join", "has to be \"replication\" or \"foundationdb\"");
                    return Optional.empty();
                })
                .orElse(BridgeConfig.Join.REPLICATION);
    }

    private EngineConfig engine(ConfigSection engine, BridgeConfig.Join join) {
        Optional<Path> embedded =
                engine.text("directory").map(path -> directory.resolve(path).normalize());
        Optional<Path> clusterFile =
                engine.text("cluster_file").map(path -> directory.resolve(path).normalize());
        String prefix = engine.text("prefix").orElse("couch-jobs-bridge");
        engine.end();
        if (embedded.isPresent() == clusterFile.isPresent()) {
            engine.mistake("directory", "either this or engine.cluster_file has to be given, and not both");
        } else if (embedded.isPresent() && join == BridgeConfig.Join.FOUNDATIONDB) {
            engine.mistake(
                    "directory",
                    "nodes that are joined by \"foundationdb\" share one cluster, and a directory cannot be shared;"
                            + " give"
                            + " engine.cluster_file, or let cluster.join be \"replication\"");
        }
        return clusterFile
                .<EngineConfig>map(file -> new EngineConfig.ClusterFile(file, prefix))
                .orElseGet(() -> new EngineConfig.Directory(embedded.orElse(directory), prefix));
    }
}
