package dev.couchjobs.internal.schedules;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The row of a schedule, without the data of its jobs.
 *
 * <p>A schedule has at most one job at a time, its current job: the one that waits for the next firing, or runs. The
 * transaction that ends the current job adds the next.
 *
 * @param definition what the user asked for
 * @param status whether jobs are added
 * @param runsAgain whether a job that may run at once follows the current job
 * @param lastRun the number of the last call of {@code runNow}, by which its repetition is recognized
 * @param lastTime the last firing time whose job has ended, in seconds since the epoch, or 0
 * @param current the current job, or null if there is none
 */
public record ScheduleRow(
        Definition definition,
        Status status,
        boolean runsAgain,
        long lastRun,
        long lastTime,
        @Nullable Current current) {
    /** A firing time so far ahead comes from a wrong clock, and does not count. */
    private static final long WRONG_CLOCK = 86_400;

    /** Whether a schedule adds jobs. The rows store the names. */
    public enum Status {
        ACTIVE,
        /** Only {@code runNow} adds a job. */
        PAUSED,
        /** No job is added, and the row is removed when the current job ends, so that no other overlaps it. */
        REMOVED
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
     * @param queues whether there is a job for the times that pass while one runs
     * @param priority of the jobs
     * @param retry of the jobs, or null for that of their type
     */
    public record Definition(
            String typeName,
            Timing timing,
            long start,
            long end,
            long jitter,
            int missed,
            boolean queues,
            int priority,
            @Nullable RetryPolicy retry) {

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
         * @param time the time of that job
         * @param began when its last attempt began by the clock of another process, or {@code now} if none did
         */
        OptionalLong next(long time, long began, long now) {
            if (timing instanceof Timing.FixedDelay) {
                return nextAfter(now);
            }
            long begin = Math.min(began, now);
            List<Long> waiting = timing.latest(missed - 1, Math.max(time, start - 1), Math.min(begin, end - 1));
            if (waiting.isEmpty() && queues) {
                waiting = timing.latest(1, Math.max(time, begin), Math.min(now, end - 1));
            }
            return waiting.isEmpty() ? nextAfter(Math.max(time, now)) : OptionalLong.of(waiting.get(0));
        }

        /** {@return this as it is read again: rows store the pauses between attempts in milliseconds} */
        Definition asStored() {
            return decode(encode());
        }

        private Tuple encode() {
            return Tuple.from(
                    typeName,
                    timing.encode(),
                    start,
                    end,
                    jitter,
                    missed,
                    queues,
                    priority,
                    retry == null
                            ? null
                            : Tuple.from(
                                    retry.maxAttempts(),
                                    retry.initialDelay().toMillis(),
                                    retry.factor(),
                                    retry.maxDelay().toMillis(),
                                    retry.jitter()));
        }

        private static Definition decode(Tuple row) {
            return new Definition(
                    row.getString(0),
                    Timing.decode(row.getNestedTuple(1)),
                    row.getLong(2),
                    row.getLong(3),
                    row.getLong(4),
                    Math.toIntExact(row.getLong(5)),
                    row.getBoolean(6),
                    Math.toIntExact(row.getLong(7)),
                    row.get(8) == null ? null : decodeRetry(row.getNestedTuple(8)));
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
     * The current job.
     *
     * @param jobId its id
     * @param time the time for which it was added
     */
    public record Current(String jobId, long time) {}

    /** {@return the row of a new schedule, without a current job} */
    public static ScheduleRow of(Definition definition) {
        return new ScheduleRow(definition, Status.ACTIVE, false, 0, 0, null);
    }

    public boolean isPaused() {
        return status == Status.PAUSED;
    }

    public boolean isRemoved() {
        return status == Status.REMOVED;
    }

    /** {@return a copy with the current job that follows the present one, or without one} */
    public ScheduleRow followedBy(@Nullable Current next) {
        return new ScheduleRow(definition, status, false, lastRun, lastTime, next);
    }

    /** {@return a copy after the job of a firing time has ended} */
    ScheduleRow ended(long time) {
        return new ScheduleRow(definition, status, runsAgain, lastRun, Math.max(lastTime, time), current);
    }

    /** {@return a copy with another status; one that is not active takes back what is to run again} */
    public ScheduleRow with(Status next) {
        return new ScheduleRow(definition, next, runsAgain && next == Status.ACTIVE, lastRun, lastTime, current);
    }

    /** {@return a copy with another definition, whose current job goes on} */
    public ScheduleRow with(Definition other) {
        return new ScheduleRow(other, status, runsAgain, lastRun, lastTime, current);
    }

    /** {@return a copy that notes a call of {@code runNow}} */
    public ScheduleRow ranBy(long call) {
        return new ScheduleRow(definition, status, runsAgain, call, lastTime, current);
    }

    /** {@return a copy whose current job is followed by one that may run at once} */
    public ScheduleRow runningAgain() {
        return new ScheduleRow(definition, status, true, lastRun, lastTime, current);
    }

    /** {@return the time of the first job from now on} */
    public OptionalLong first(long now) {
        return definition.first(now, countedLastTime(now));
    }

    /**
     * {@return the time of the job that follows the one that has ended, see {@link Definition#next}}
     */
    OptionalLong next(long time, long began, long now) {
        return definition.next(Math.max(time, countedLastTime(now)), began, now);
    }

    private long countedLastTime(long now) {
        return lastTime > now + WRONG_CLOCK ? 0 : lastTime;
    }

    byte[] encode() {
        return Tuple.from(
                        definition.encode(),
                        status.name(),
                        runsAgain,
                        lastRun,
                        lastTime,
                        current == null ? null : Tuple.from(current.jobId, current.time))
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
                row.getLong(4),
                current == null ? null : new Current(current.getString(0), current.getLong(1)));
    }
}
