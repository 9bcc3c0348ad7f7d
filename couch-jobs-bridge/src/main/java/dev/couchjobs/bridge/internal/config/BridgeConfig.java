package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.BridgeSettings;
import dev.couchjobs.bridge.internal.action.HttpSettings;
import dev.couchjobs.bridge.internal.action.ShellSettings;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.internal.document.NameSuggestion;
import dev.couchjobs.bridge.internal.document.NodeDirectory;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The configuration of a bridge, checked for consistency.
 *
 * @param node this node's name, one of the cluster's
 * @param cluster all nodes
 * @param join what the nodes share
 * @param couchdb this node's CouchDB
 * @param others other CouchDB databases of this node, by the name of their server
 * @param engine the database of its jobs
 * @param workers how many steps it runs at once
 * @param claimTimeout how long a claim may be silent before it is withdrawn
 * @param shell the commands that it allows
 * @param http the requests that it allows
 * @param replication the peers of its CouchDB
 * @param workItems the actions for work items, by kind
 */
public record BridgeConfig(
        String node,
        NodeDirectory cluster,
        Join join,
        CouchConfig couchdb,
        SortedMap<String, ReplicationConfig.Peer> others,
        EngineConfig engine,
        int workers,
        Duration claimTimeout,
        ShellSettings shell,
        HttpSettings http,
        ReplicationConfig replication,
        SortedMap<String, WorkItemConfig> workItems) {

    public BridgeConfig {
        workItems = new TreeMap<>(workItems);
        others = new TreeMap<>(others);
    }

    /** What nodes share. */
    public enum Join {
        /** Documents that CouchDB replicates. */
        REPLICATION,
        /** A FoundationDB cluster. */
        FOUNDATIONDB
    }

    /**
     * {@return what is missing to start the bridge, a line for each}
     *
     * @param handlers the names of all handlers in Java
     * @param hasDatabase whether the caller provides the database in place of the configured one
     */
    public List<String> missing(Set<String> handlers, boolean hasDatabase) {
        List<String> missing = new ArrayList<>();
        if (!hasDatabase
                && engine instanceof EngineConfig.ClusterFile cluster
                && !Files.isRegularFile(cluster.path())) {
            missing.add("engine.cluster_file: there is no file " + cluster.path());
        }
        workItems.forEach((kind, item) -> {
            if (item.action() instanceof ActionPlan.Java java
                    && !java.name().isEmpty()
                    && !handlers.contains(java.name())) {
                missing.add("work_items." + kind + ".do: there is no handler '" + java.name() + "'"
                        + (handlers.isEmpty() ? "; only programs that embed the bridge have handlers" : "")
                        + NameSuggestion.hint(java.name(), handlers));
            }
        });
        return missing;
    }

    /** {@return the settings that can be changed while the bridge runs; those that have no value are empty} */
    public BridgeSettings settings() {
        return ChangedConfig.settings(this);
    }

    /**
     * {@return this configuration with other settings}
     *
     * @param settings those that are empty stay as they are
     * @throws IllegalArgumentException if this node has no such kind of work items or server
     */
    public BridgeConfig with(BridgeSettings settings) {
        return ChangedConfig.of(this, settings);
    }

    /** {@return a description of the configuration, line by line, without passwords} */
    public List<String> describe() {
        return ConfigDescription.of(this);
    }
}
