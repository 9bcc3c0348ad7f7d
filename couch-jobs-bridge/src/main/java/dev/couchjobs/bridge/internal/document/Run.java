package dev.couchjobs.bridge.internal.document;

import java.time.ZonedDateTime;
import java.util.Optional;

/**
 * A step's run on a node.
 *
 * @param round the round in which it was given to that node
 * @param executioner who runs it, for people: node and worker
 * @param status how it stands
 * @param start when it began, by the clock and in the zone of its node
 * @param finish when it ended, if it has
 * @param tries how often its action has failed so far, if it has
 * @param end what came of it, if it has ended
 */
public record Run(
        int round,
        String executioner,
        Status status,
        ZonedDateTime start,
        Optional<ZonedDateTime> finish,
        int tries,
        Optional<RunEnd> end) {

    /** The values of {@code step_status}. */
    public enum Status {
        /** It has begun. */
        RUNNING,
        /** It has failed for good. */
        FAILED,
        /** It has succeeded. */
        FINISHED
    }
}
