package dev.couchjobs.bridge;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A node, as its bridge has last reported it. A bridge reports about every 15 seconds, and when its settings change.
 *
 * @param name the node's name
 * @param state whether it reports
 * @param process the process that reported last, and its machine
 * @param version the version of the bridge; {@code unknown} if the classes do not say
 * @param startedAt when that process started the bridge, by the clock of the node
 * @param reportedAt when it reported last, by the clock of the node
 * @param address the CouchDB database that it follows, without a user
 * @param isConnected whether that database answers
 * @param position the position in its feed; shortened
 * @param settings the settings in effect; the address stands for server and database
 * @param wanted the settings that {@link BridgeNodes#change} has set
 * @param wantedRevision counts the changes of the wanted settings
 * @param appliedRevision the wanted settings that are in effect; the faults say why it stays behind
 * @param faults what is wrong at present, for people; the first of them
 * @param steps the steps and work items that run; the first of them
 * @param running how many run
 * @param resources what the process uses
 */
public record BridgeNode(
        String name,
        State state,
        String process,
        String version,
        Instant startedAt,
        Instant reportedAt,
        String address,
        boolean isConnected,
        Optional<String> position,
        BridgeSettings settings,
        BridgeSettings wanted,
        long wantedRevision,
        long appliedRevision,
        List<String> faults,
        List<RunningStep> steps,
        int running,
        Resources resources) {

    /** Whether a node reports. */
    public enum State {
        /** It has reported within the last minute. */
        RUNNING,
        /** It has not reported for a minute: it is lost, or its database does not answer it. */
        SILENT,
        /** It was closed, or has stopped because of a fault. */
        ENDED
    }

    /**
     * A step that runs.
     *
     * @param document the id of its document
     * @param step the index, from 0; 0 for a work item
     */
    public record RunningStep(String document, int step) {}

    /**
     * What a process uses, with all bridges in it.
     *
     * @param heapUsed the used heap, in bytes
     * @param heapMax the largest heap, in bytes
     * @param processorLoad the load of all processors by the process, from 0 to 1; empty if it is not known
     */
    public record Resources(long heapUsed, long heapMax, OptionalDouble processorLoad) {}

    /**
     * Copies the lists.
     *
     * @param name see above
     * @param state see above
     * @param process see above
     * @param version see above
     * @param startedAt see above
     * @param reportedAt see above
     * @param address see above
     * @param isConnected see above
     * @param position see above
     * @param settings see above
     * @param wanted see above
     * @param wantedRevision see above
     * @param appliedRevision see above
     * @param faults see above
     * @param steps see above
     * @param running see above
     * @param resources see above
     */
    public BridgeNode {
        faults = List.copyOf(faults);
        steps = List.copyOf(steps);
    }
}
