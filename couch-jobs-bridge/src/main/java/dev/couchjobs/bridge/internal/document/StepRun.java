package dev.couchjobs.bridge.internal.document;

import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The run of a step on a node.
 *
 * @param begun the number of beginnings: one, one for each retry, and one for each lost process
 * @param executioner the node and worker, for people
 * @param status the status
 * @param start the time of the beginning, by the clock and in the zone of the node, in microseconds; always present in
 *     documents of the bridge, while those of the thesis have only a time of day
 * @param finish the time of the end, if it has ended
 * @param tries the number of failed tries
 * @param end the result; present if and only if the run has ended
 */
public record StepRun(
        int begun,
        String executioner,
        Status status,
        Optional<ZonedDateTime> start,
        Optional<ZonedDateTime> finish,
        int tries,
        Optional<StepRunEnd> end) {

    /** The values of {@code step_status}. Where versions meet, the later one prevails. */
    public enum Status {
        /** The step has begun. */
        RUNNING,
        /** The step has failed for good. */
        FAILED,
        /** The step has succeeded. */
        FINISHED
    }

    /**
     * Rounds the times to what a document can contain.
     *
     * @throws IllegalArgumentException if the result contradicts the status
     */
    public StepRun {
        if (begun < 1 || tries < 0) {
            throw new IllegalArgumentException(
                    "a run has begun at least once, and its number of tries is not" + " negative");
        }
        if (end.isPresent() != (status != Status.RUNNING)) {
            throw new IllegalArgumentException("a run has a result if and only if it has ended");
        }
        if (finish.isPresent() && end.isEmpty()) {
            throw new IllegalArgumentException("a run that has not ended has no finish");
        }
        start = start.map(StepRun::toDocument);
        finish = finish.map(StepRun::toDocument);
    }

    /**
     * {@return a run that begins now}
     *
     * @param executioner the node and worker
     * @param now the time of the node's clock, in its time zone
     */
    static StepRun beginning(String executioner, ZonedDateTime now) {
        return new StepRun(1, executioner, Status.RUNNING, Optional.of(now), Optional.empty(), 0, Optional.empty());
    }

    /** {@return this run, begun again: for a retry, or after the loss of its process} */
    StepRun again(String newExecutioner) {
        return new StepRun(begun + 1, newExecutioner, status, start, finish, tries, end);
    }

    /** {@return this run, after another failed try} */
    StepRun tried() {
        return new StepRun(begun, executioner, status, start, finish, tries + 1, end);
    }

    /** {@return this run, ended} */
    StepRun ended(Status newStatus, ZonedDateTime now, StepRunEnd newEnd) {
        return new StepRun(begun, executioner, newStatus, start, Optional.of(now), tries, Optional.of(newEnd));
    }

    /** {@return whether it has not ended} */
    public boolean isRunning() {
        return status == Status.RUNNING;
    }

    /** {@return whether it has failed by itself, and its job with it} */
    public boolean hasFailed() {
        return status == Status.FAILED && !end.filter(StepRunEnd::isStopped).isPresent();
    }

    private static ZonedDateTime toDocument(ZonedDateTime time) {
        return time.withFixedOffsetZone().truncatedTo(ChronoUnit.MICROS);
    }
}
