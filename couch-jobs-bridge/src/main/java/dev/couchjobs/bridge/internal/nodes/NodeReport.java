package dev.couchjobs.bridge.internal.nodes;

import dev.couchjobs.bridge.BridgeNode;
import dev.couchjobs.bridge.BridgeSettings;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * What a node reports of itself.
 *
 * @param version the read version of the report, which tells its age
 * @param hasEnded whether no further report follows
 * @param process the process and its machine
 * @param bridgeVersion the version of the bridge
 * @param startedAt when the bridge was started
 * @param reportedAt the time of the report
 * @param store where the node's store is
 * @param servers names of further servers, which settings may choose
 * @param state how the bridge is
 * @param appliedRevision the revision of the wanted settings that are in effect
 * @param appliedSettings these settings; empty in the report of an older bridge
 */
public record NodeReport(
        long version,
        boolean hasEnded,
        String process,
        String bridgeVersion,
        Instant startedAt,
        Instant reportedAt,
        StorePlace store,
        List<String> servers,
        RunState state,
        Optional<String> position,
        long appliedRevision,
        Optional<BridgeSettings> appliedSettings) {

    /** {@return the wanted settings that are in effect} */
    public WantedSettings applied() {
        return appliedSettings
                .map(settings -> new WantedSettings(appliedRevision, settings))
                .orElse(WantedSettings.NONE);
    }

    /**
     * Where the store of a node is, and how it is read.
     *
     * @param isShared whether all nodes have the same store
     * @param nodes all nodes
     * @param groups their groups
     * @param feedName the name of its feed
     */
    public record StorePlace(
            boolean isShared, SortedSet<String> nodes, SortedMap<String, SortedSet<String>> groups, String feedName) {}

    /**
     * How a bridge is at present.
     *
     * @param address the database, without a user
     * @param settings the settings in effect
     */
    public record RunState(
            String address,
            boolean isConnected,
            BridgeSettings settings,
            List<String> faults,
            List<BridgeNode.RunningStep> steps,
            int running,
            BridgeNode.Resources resources) {}
}
