package dev.couchjobs.internal.schedules;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.internal.job.JobKeys;
import dev.couchjobs.internal.job.SequencePlace;
import dev.couchjobs.internal.rows.Moments;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The row of a schedule, without the data of its jobs.
 *
 * <p>A schedule has at most one current job: the one that waits for the next firing, or runs. The transaction that ends
 * the current job adds the next. If jobs may overlap, the first claim of the current job adds the next, so the current
 * job is the one that waits.
 *
 * @param definition what the user asked for
 * @param status whether jobs are added
 * @param runsAgain whether a job that may run at once follows the current job
 * @param lastRun the number of the last call of {@code runNow}, by which its repetition is recognized
 * @param last the last firing time whose job has ended, or was claimed if jobs may overlap
 * @param current the current job, or null if there is none
 * @param former the id of the job before the current one, if jobs may overlap, or null
 */
public record ScheduleRow(
        Definition definition,
        Status status,
        boolean runsAgain,
        long lastRun,
        Last last,
        @Nullable Current current,
        @Nullable String former) {
    /** The size of the definition of a schedule whose jobs neither overlap, nor pass results on, nor have keys. */
    private static final int PLAIN_SIZE = 9;
    /** The indexes of the elements that may be missing. */
    private static final int FORMER = 6;

    private static final int LAST_AT = 7;
    private static final int CURRENT_AT = 8;

    /** Whether a schedule adds jobs. The rows store the names. */
    public enum Status {
        ACTIVE,
        /** Only {@code runNow} adds a job. */
        PAUSED,
        /** No job is added, and the row is removed when the current job ends, so that no other overlaps it. */
        REMOVED
    }

    /** What happens when a firing time comes while a job runs. The rows store the names of those that are newer. */
    public enum Overlap {
        /** There is no job for it. */
        SKIP,
        /** One job follows for the latest. */
        QUEUE,
        /** Its job runs beside the other. */
        ALLOW,
        /** Its job runs, and its claim cancels the other. */
        CANCEL;

        /** {@return whether the claim of a job adds the next} */
        public boolean addsAtClaim() {
            return this == ALLOW || this == CANCEL;
        }
    }

    /**
     * What the user asked for.
     *
     * @param typeName the type of the jobs
     * @param timing the times
     * @param start no time is before it, in seconds since the epoch
     * @param end all times are before it, in seconds since the epoch
     * @param jitter the longest delay of a firing, in seconds
     * @param missed how many jobs there are for the times that pass before a job begins, at least 1
     * @param overlap what happens with the times that come while a job runs
     * @param priority of the jobs
     * @param retry of the jobs, or null for that of their type
     * @param declared a digest of the declared data if the result of a job is the data of the next, or null
     * @param keys of the jobs, without a unique key and a place in a sequence; with the longest delay of their begin in
     *     milliseconds in place of a deadline
     */
    public record Definition(
            String typeName,
            Timing timing,
            long start,
            long end,
            long jitter,
            int missed,
            Overlap overlap,
            int priority,
            @Nullable RetryPolicy retry,
            @Nullable String declared,
            JobKeys keys) {

        /** {@return a copy with other options for the times that pass} */
        Definition with(Timing newTiming, long newStart, long newEnd, long newJitter, int newMissed) {
            return new Definition(
                    typeName, newTiming, newStart, newEnd, newJitter, newMissed, overlap, priority, retry, declared,
                    keys);
        }

        Definition with(JobKeys newKeys) {
            return new Definition(
                    typeName, timing, start, end, jitter, missed, overlap, priority, retry, declared, newKeys);
        }

        Definition with(Overlap newOverlap) {
            return new Definition(
                    typeName, timing, start, end, jitter, missed, newOverlap, priority, retry, declared, keys);
        }

        /** {@return a copy whose jobs get the result of the job before, and the first the data with a digest} */
        public Definition passingResult(String digest) {
            return new Definition(typeName, timing, start, end, jitter, missed, overlap, priority, retry, digest, keys);
        }

        /** {@return whether the result of a job is the data of the next} */
        public boolean passesResult() {
            return declared != null;
        }

        /** {@return whether the data that the last result has left stays} */
        public boolean keepsDataOf(Definition earlier) {
            return passesResult() && Objects.equals(declared, earlier.declared) && typeName.equals(earlier.typeName);
        }

        /**
         * {@return whether jobs overlap, pass results on, or have keys or deadlines, which older code does not know}
         */
        public boolean isExtended() {
            return overlap.addsAtClaim() || passesResult() || !keys.equals(JobKeys.NONE);
        }

        /** {@return the first time after another and not before the start, unless the schedule has ended then} */
        OptionalLong nextAfter(long time) {
            OptionalLong next = timing.nextAfter(Math.max(time, start - 1));
            return next.isPresent() && next.getAsLong() < end ? next : OptionalLong.empty();
        }

        /** {@return the time of the first job from now on, and after a firing time whose job has ended} */
        OptionalLong first(long now, long done) {
            if (timing instanceof Timing.FixedDelay) {
                long earliest = Math.max(now, start);
                return earliest < end ? OptionalLong.of(earliest) : OptionalLong.empty();
            }
            return nextAfter(Math.max(now, done));
        }

        /**
         * {@return the time of the job that follows a job}
         *
         * @param done up to which time there are no more jobs, that of the job included
         * @param began when its last attempt began by the clock of another process, or {@code now} if none did
         */
        OptionalLong next(long done, long began, long now) {
            if (timing instanceof Timing.FixedDelay) {
                return nextAfter(now);
            }
            long begin = Math.min(began, now);
            List<Long> waiting = timing.latest(missed - 1, Math.max(done, start - 1), Math.min(begin, end - 1));
            if (waiting.isEmpty() && overlap == Overlap.QUEUE) {
                waiting = timing.latest(1, Math.max(done, begin), Math.min(now, end - 1));
            }
            return waiting.isEmpty() ? nextAfter(Math.max(done, now)) : OptionalLong.of(waiting.get(0));
        }

        /** {@return this as it is read again: rows store the pauses between attempts in milliseconds} */
        Definition asStored() {
            return decode(encode());
        }

        private Tuple encode() {
            Tuple row = Tuple.from(
                    typeName,
                    timing.encode(),
                    start,
                    end,
                    jitter,
                    missed,
                    overlap == Overlap.QUEUE,
                    priority,
                    retry == null
                            ? null
                            : Tuple.from(
                                    retry.maxAttempts(),
                                    retry.initialDelay().toMillis(),
                                    retry.factor(),
                                    retry.maxDelay().toMillis(),
                                    retry.jitter()));
            return isExtended() ? row.add(overlap.name()).addObject(declared).add(encodeKeys()) : row;
        }

        private Tuple encodeKeys() {
            SequencePlace sequence = keys.sequence();
            Tuple row = Tuple.from(
                    keys.limit(),
                    keys.turn(),
                    sequence == null ? null : sequence.name(),
                    sequence != null && sequence.passesFailure());
            return keys.startBefore() == JobKeys.NO_DEADLINE ? row : row.add(keys.startBefore());
        }

        private static JobKeys decodeKeys(Tuple row) {
            return JobKeys.ofSchedule(
                    row.getString(0),
                    row.getString(1),
                    row.get(2) == null ? null : new SequencePlace(row.getString(2), 0, row.getBoolean(3), false),
                    row.size() > 4 ? row.getLong(4) : JobKeys.NO_DEADLINE);
        }

        private static Definition decode(Tuple row) {
            boolean isPlain = row.size() <= PLAIN_SIZE;
            Overlap queued = row.getBoolean(6) ? Overlap.QUEUE : Overlap.SKIP;
            return new Definition(
                    row.getString(0),
                    Timing.decode(row.getNestedTuple(1)),
                    row.getLong(2),
                    row.getLong(3),
                    row.getLong(4),
                    Math.toIntExact(row.getLong(5)),
                    isPlain ? queued : Overlap.valueOf(row.getString(9)),
                    Math.toIntExact(row.getLong(7)),
                    row.get(8) == null ? null : decodeRetry(row.getNestedTuple(8)),
                    isPlain ? null : row.getString(10),
                    isPlain ? JobKeys.NONE : decodeKeys(row.getNestedTuple(11)));
        }

        private static RetryPolicy decodeRetry(Tuple row) {
            return new RetryPolicy(
                    Math.toIntExact(row.getLong(0)),
                    Duration.ofMillis(row.getLong(1)),
                    row.getDouble(2),
                    Duration.ofMillis(row.getLong(3)),
                    row.getDouble(4));
        }
    }

    /**
     * The last firing time that is done.
     *
     * @param time the time, in seconds since the epoch, or 0
     * @param at when it was noted, by the clock of the process that did, or of the one that added its job if that was
     *     ahead
     */
    record Last(long time, long at) {
        private static final Last NONE = new Last(0, 0);
    }

    /**
     * The current job.
     *
     * @param jobId its id
     * @param time the time for which it was added
     * @param isOutdated whether the schedule has got other data since it began, so that its result is not passed on
     * @param at when it was added, by the clock of the process that did
     */
    public record Current(String jobId, long time, boolean isOutdated, long at) {
        private Tuple encode() {
            Tuple row = Tuple.from(jobId, time);
            return isOutdated ? row.add(true) : row;
        }

        private static Current decode(Tuple row, long at) {
            return new Current(row.getString(0), row.getLong(1), row.size() > 2 && row.getBoolean(2), at);
        }
    }

    /** {@return the row of a new schedule, without a current job} */
    public static ScheduleRow of(Definition definition) {
        return new ScheduleRow(definition, Status.ACTIVE, false, 0, Last.NONE, null, null);
    }

    public boolean isPaused() {
        return status == Status.PAUSED;
    }

    public boolean isRemoved() {
        return status == Status.REMOVED;
    }

    /** {@return a copy with the current job that follows the present one, or without one} */
    public ScheduleRow followedBy(@Nullable Current next) {
        return new ScheduleRow(definition, status, false, lastRun, last, next, former);
    }

    /** {@return a copy after the current job has ended} */
    ScheduleRow ended(long now) {
        return new ScheduleRow(definition, status, runsAgain, lastRun, done(now), current, former);
    }

    /** {@return a copy after the current job, which goes on, was claimed} */
    public ScheduleRow begun(long now) {
        String begun = Objects.requireNonNull(current).jobId();
        return new ScheduleRow(definition, status, runsAgain, lastRun, done(now), current, begun);
    }

    /** {@return the later of the last firing time, unless a wrong clock noted it, and that of the current job} */
    private Last done(long now) {
        Current done = Objects.requireNonNull(current);
        return last.time() > done.time() && !isOfWrongClock(last.at(), now)
                ? last
                : new Last(done.time(), Math.max(done.at(), now));
    }

    /** {@return a copy with another status; one that is not active takes back what is to run again} */
    public ScheduleRow with(Status next) {
        return new ScheduleRow(definition, next, runsAgain && next == Status.ACTIVE, lastRun, last, current, former);
    }

    /** {@return a copy with another definition, whose current job goes on} */
    public ScheduleRow with(Definition other) {
        boolean keepsFormer = other.overlap.addsAtClaim() && other.typeName.equals(definition.typeName);
        return new ScheduleRow(other, status, runsAgain, lastRun, last, current, keepsFormer ? former : null);
    }

    /** {@return a copy whose current job, which has begun, passes its result on or not} */
    public ScheduleRow outdated(boolean isOutdated) {
        Current before = Objects.requireNonNull(current);
        Current after = new Current(before.jobId(), before.time(), isOutdated, before.at());
        return new ScheduleRow(definition, status, runsAgain, lastRun, last, after, former);
    }

    /** {@return a copy that notes a call of {@code runNow}} */
    public ScheduleRow ranBy(long call) {
        return new ScheduleRow(definition, status, runsAgain, call, last, current, former);
    }

    /** {@return a copy whose current job is followed by one that may run at once} */
    public ScheduleRow runningAgain() {
        return new ScheduleRow(definition, status, true, lastRun, last, current, former);
    }

    private static boolean isOfWrongClock(long at, long now) {
        return Moments.isOfWrongClock(1_000 * at, 1_000 * now);
    }

    /** {@return whether the current job was added by a clock that was ahead, so that its time means nothing} */
    public boolean isCurrentOfWrongClock(long now) {
        return current != null && isOfWrongClock(current.at(), now);
    }

    /** {@return up to which time there are no more jobs; a time that a wrong clock has reached puts off nothing} */
    private long doneUpTo(long now) {
        return isOfWrongClock(last.at(), now) ? now : last.time();
    }

    /** {@return the time of the first job from now on, unless that time has a job} */
    public OptionalLong first(long now) {
        return definition.first(now, doneUpTo(now));
    }

    /**
     * {@return the time of the job that follows the one that has ended, see {@link Definition#next}}
     */
    OptionalLong next(long began, long now) {
        return definition.next(doneUpTo(now), began, now);
    }

    /**
     * {@return the next firing times: that of the current job if it is still to come, and those after it} Of a pause
     * between jobs, only the first is known.
     */
    public List<Long> upcoming(long now, int count) {
        List<Long> times = new ArrayList<>();
        boolean waits = current != null && current.time() > now;
        OptionalLong next = waits
                ? OptionalLong.of(Objects.requireNonNull(current).time())
                : definition.nextAfter(Math.max(now, doneUpTo(now)));
        if (isPaused() || (definition.timing() instanceof Timing.FixedDelay && !waits)) {
            return times;
        }
        while (next.isPresent() && times.size() < count) {
            times.add(next.getAsLong());
            next = definition.timing() instanceof Timing.FixedDelay
                    ? OptionalLong.empty()
                    : definition.nextAfter(next.getAsLong());
        }
        return times;
    }

    byte[] encode() {
        return Tuple.from(
                        definition.encode(),
                        status.name(),
                        runsAgain,
                        lastRun,
                        last.time(),
                        current == null ? null : current.encode(),
                        former,
                        last.at(),
                        current == null ? 0 : current.at())
                .pack();
    }

    static ScheduleRow decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        Tuple current = row.get(5) == null ? null : row.getNestedTuple(5);
        return new ScheduleRow(
                Definition.decode(row.getNestedTuple(0)),
                Status.valueOf(row.getString(1)),
                row.getBoolean(2),
                row.getLong(3),
                new Last(row.getLong(4), row.size() <= LAST_AT ? 0 : row.getLong(LAST_AT)),
                current == null
                        ? null
                        : Current.decode(current, row.size() <= CURRENT_AT ? 0 : row.getLong(CURRENT_AT)),
                row.size() <= FORMER ? null : row.getString(FORMER));
    }
}
