package dev.couchjobs.bridge.internal.document;

import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * A step's run on a node.
 *
 * @param begun how often it was taken up: once, once more for each further try, and each time its process was lost
 * @param executioner who runs it, for people: node and worker
 * @param status how it stands
 * @param start when it began, by the clock and at the offset of its node, to the microsecond; always there in what we
 *     write, but the thesis's documents only have a time of day
 * @param finish when it ended, if it has
 * @param tries how often its action has failed so far, if it has
 * @param end what came of it, exactly if it has ended
 */
public record StepRun(
        int begun,
        String executioner,
        Status status,
        Optional<ZonedDateTime> start,
        Optional<ZonedDateTime> finish,
        int tries,
        Optional<StepRunEnd> end) {

    /** The values of {@code step_status}, from the one that yields to the one that prevails where versions meet. */
    public enum Status {
        /** It has begun. */
        RUNNING,
        /** It has failed for good. */
        FAILED,
        /** It has succeeded. */
        FINISHED
    }

    /**
     * Brings the times to what a document can hold.
     *
     * @throws IllegalArgumentException if what came of it contradicts its status
     */
    public StepRun {
        if (begun < 1 || tries < 0) {
            throw new IllegalArgumentException("a run has begun once at least, and has not failed less than never");
        }
        if (end.isPresent() != (status != Status.RUNNING)) {
            throw new IllegalArgumentException("something came of a run exactly if it has ended");
        }
        if (finish.isPresent() && end.isEmpty()) {
            throw new IllegalArgumentException("a run that goes on has no end");
        }
        start = start.map(StepRun::toDocument);
        finish = finish.map(StepRun::toDocument);
    }

    /**
     * {@return a run that begins now}
     *
     * @param executioner who runs it
     * @param now by the clock and in the zone of its node
     */
    static StepRun beginning(String executioner, ZonedDateTime now) {
        return new StepRun(1, executioner, Status.RUNNING, Optional.of(now), Optional.empty(), 0, Optional.empty());
    }

    /** {@return the same run, taken up once more: for another try, or because its process was lost} */
    StepRun again(String newExecutioner) {
        return new StepRun(begun + 1, newExecutioner, status, start, finish, tries, end);
    }

    /** {@return the same run, after one more try that failed} */
    StepRun tried() {
        return new StepRun(begun, executioner, status, start, finish, tries + 1, end);
    }

    /** {@return the same run, ended} */
    StepRun ended(Status newStatus, ZonedDateTime now, StepRunEnd newEnd) {
        return new StepRun(begun, executioner, newStatus, start, Optional.of(now), tries, Optional.of(newEnd));
    }

    /** {@return whether it goes on} */
    public boolean isRunning() {
        return status == Status.RUNNING;
    }

    /** {@return whether it has come to a bad end by itself, and so its job with it} */
    public boolean hasFailed() {
        return status == Status.FAILED && !end.filter(StepRunEnd::isStopped).isPresent();
    }

    private static ZonedDateTime toDocument(ZonedDateTime time) {
        return time.withFixedOffsetZone().truncatedTo(ChronoUnit.MICROS);
    }
}
