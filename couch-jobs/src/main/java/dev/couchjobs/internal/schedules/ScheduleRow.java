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
 * @param paused whether no further job is added
 * @param again whether the next job is added at once, whatever the time
 * @param current the current job, or null if there is none
 */
public record ScheduleRow(
        Definition definition,
        boolean paused,
        boolean again,
        @Nullable Current current) {

    /**
     * What the user asked for.
     *
     * @param typeName the type of the jobs
     * @param timing the times
     * @param start the first time, in seconds since the epoch
     * @param end a time after the last, in seconds since the epoch
     * @param jitter the longest delay of a firing, in seconds
     * @param missed how many of the times that have passed before a job begins are made up for, at least 1
     * @param queues whether a time that passes while a job runs is made up for
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
        public OptionalLong nextAfter(long time) {
            OptionalLong next = timing.nextAfter(Math.max(time, start - 1));
            return next.isPresent() && next.getAsLong() < end ? next : OptionalLong.empty();
        }

        /** {@return the time of the first job of a schedule that is put now} */
        public OptionalLong first(long now) {
            if (timing instanceof Timing.FixedDelay) {
                long earliest = Math.max(now, start);
                return earliest < end ? OptionalLong.of(earliest) : OptionalLong.empty();
            }
            return nextAfter(now);
        }

        /**
         * {@return the time of the job that follows a job}
         *
         * @param time the time of that job
         * @param began when it began to run, or {@code now} if it never did
         */
        OptionalLong next(long time, long began, long now) {
            if (timing instanceof Timing.FixedDelay) {
                return nextAfter(now);
            }
            List<Long> waiting = timing.latest(missed - 1, Math.max(time, start - 1), Math.min(began, end - 1));
            if (waiting.isEmpty() && queues) {
                waiting = timing.latest(1, Math.max(time, began), Math.min(now, end - 1));
            }
            return waiting.isEmpty() ? nextAfter(Math.max(time, now)) : OptionalLong.of(waiting.get(0));
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

    /** {@return a copy with another current job, or without one} */
    public ScheduleRow with(@Nullable Current next) {
        return new ScheduleRow(definition, paused, false, next);
    }

    /** {@return a copy that is paused or not} */
    public ScheduleRow paused(boolean isPaused) {
        return new ScheduleRow(definition, isPaused, again, current);
    }

    /** {@return a copy whose next job is added at once} */
    public ScheduleRow againAtOnce() {
        return new ScheduleRow(definition, paused, true, current);
    }

    byte[] encode() {
        return Tuple.from(
                        definition.encode(),
                        paused,
                        again,
                        current == null ? null : Tuple.from(current.jobId, current.time))
                .pack();
    }

    static ScheduleRow decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        Tuple current = row.get(3) == null ? null : row.getNestedTuple(3);
        return new ScheduleRow(
                Definition.decode(row.getNestedTuple(0)),
                row.getBoolean(1),
                row.getBoolean(2),
                current == null ? null : new Current(current.getString(0), current.getLong(1)));
    }
}
