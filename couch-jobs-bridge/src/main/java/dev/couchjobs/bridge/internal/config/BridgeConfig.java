package dev.couchjobs.bridge.internal.config;

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
 * What a bridge is told by its operator. It has been checked: all of it fits together.
 *
 * @param node this node's name, one of the cluster's
 * @param cluster all nodes
 * @param join what they have in common
 * @param couchdb this node's CouchDB
 * @param engine where its jobs are
 * @param workers how many steps it runs at a time
 * @param claimTimeout after how long a claim of which nothing is heard is withdrawn
 * @param shell which commands it allows
 * @param http which requests it allows
 * @param replication which CouchDB its own is to replicate with
 * @param workItems what it does for WorkItem documents, by the kinds that they name as their worker
 */
public record BridgeConfig(
        String node,
        NodeDirectory cluster,
        Join join,
        CouchConfig couchdb,
        EngineConfig engine,
        int workers,
        Duration claimTimeout,
        ShellSettings shell,
        HttpSettings http,
        ReplicationConfig replication,
        SortedMap<String, WorkItemConfig> workItems) {

    /** Keeps a copy of the map. */
    public BridgeConfig {
        workItems = new TreeMap<>(workItems);
    }

    /** What nodes have in common. */
    public enum Join {
        /** Documents that CouchDB replicates. */
        REPLICATION,
        /** A FoundationDB cluster. */
        FOUNDATIONDB
    }

    /**
     * What a bridge cannot be started without, and is not there.
     *
     * @param handlers the names of all handlers in Java
     * @param hasDatabase whether it is given its database, and need not open the one that is named here
     * @return a line for each thing
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
                        + (handlers.isEmpty() ? "; handlers are those of a program that has the bridge in it" : "")
                        + NameSuggestion.hint(java.name(), handlers));
            }
        });
        return missing;
    }

    /** {@return what the bridge says it has understood, line by line, and without passwords} */
    public List<String> describe() {
        return ConfigDescription.of(this);
    }
}
