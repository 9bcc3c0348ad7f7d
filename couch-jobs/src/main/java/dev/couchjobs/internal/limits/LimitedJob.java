package dev.couchjobs.internal.limits;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feature.JobIndex;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.job.JobOptions;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.queue.QueueIndex;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.IndexKey;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.turns.TurnKey;
import dev.couchjobs.internal.turns.TurnRequest;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A job that is due and has a limit key: it waits in the limited queue, the highest priority first and the oldest first
 * within a priority, or it is admitted, and in the queue from which processes claim.
 *
 * @param ref the job
 * @param limitKey its limit key
 * @param turnKey its turn key, or null
 * @param priority its priority
 * @param since when it was enqueued, in milliseconds since the epoch
 * @param scheduledTime its scheduled time, 0 for none
 */
public record LimitedJob(
        JobRef ref, String limitKey, @Nullable String turnKey, int priority, long since, long scheduledTime) {
    /** The order of the limited queue. */
    public static final Comparator<LimitedJob> ORDER = Comparator.comparingInt(LimitedJob::priority)
            .reversed()
            .thenComparingLong(LimitedJob::since)
            .thenComparing(job -> job.ref().id());

    /** The rows of the limited queue. */
    public static final JobIndex ROWS = new JobIndex() {
        @Override
        public Range range(TypeKeys keys) {
            return LimitKeys.of(keys).limited().range();
        }

        @Override
        public Statement decode(TypeKeys keys, KeyValue row) {
            LimitedJob waiting = LimitedJob.decode(keys, row);
            return new Statement(waiting.ref(), waiting::matches);
        }
    };

    private static final byte[] EMPTY = {};
    private static final long NO_TIME = 0;

    /** {@return a job with a limit key} */
    public static LimitedJob of(JobRef ref, JobRow job) {
        JobOptions options = job.options();
        return new LimitedJob(
                ref,
                Objects.requireNonNull(options.limitKey()),
                options.turnKey(),
                options.priority(),
                options.since(),
                job.scheduledTime());
    }

    /** {@return whether a job is due and has a limit key} */
    public static boolean isDue(JobRow row) {
        return row.options().limitKey() != null && Standing.of(row) instanceof Standing.Due;
    }

    /** {@return whether a job runs and has a limit key} */
    static boolean isRunning(JobRow row) {
        return row.options().limitKey() != null && row.state() == JobState.RUNNING;
    }

    static LimitedJob decode(TypeKeys keys, KeyValue row) {
        TupleReader path = LimitKeys.of(keys).readLimited(row.getKey());
        String limitKey = path.readString();
        int priority = Math.toIntExact(-path.readLong());
        long since = path.readLong();
        String jobId = path.readString();
        Keyspace.checkJobId(jobId);
        Tuple value = Tuple.fromBytes(row.getValue());
        return new LimitedJob(
                new JobRef(keys, jobId),
                limitKey,
                value.size() < 2 ? null : value.getString(1),
                priority,
                since,
                value.isEmpty() ? NO_TIME : value.getLong(0));
    }

    /** {@return whether the job's own row agrees} */
    private boolean matches(JobRow job) {
        return isDue(job) && equals(of(ref, job));
    }

    /** {@return whether a job that is to be in a queue is in one, or in the limited queue} */
    public static CompletableFuture<Boolean> isQueued(ReadTransaction tx, JobRef ref, JobRow job) {
        return IndexKey.isThere(tx, QueueIndex.key(ref, job))
                .thenCompose(isThere -> isThere || !isDue(job)
                        ? CompletableFuture.completedFuture(isThere)
                        : IndexKey.isThere(tx, Optional.of(of(ref, job).limitedKey())));
    }

    /** {@return whether the job is due as the transaction has last written it} */
    boolean isWritten(Transaction tx) {
        return JobStore.written(tx, ref).filter(this::matches).isPresent();
    }

    /** {@return whether the transaction has written the job's row in the queue again, without a limit key} */
    boolean isQueuedWithoutLimitKey(Transaction tx) {
        return JobStore.written(tx, ref)
                .filter(row -> !isDue(row))
                .flatMap(row -> QueueIndex.key(ref, row))
                .filter(key -> Arrays.equals(key, queueKey()))
                .isPresent();
    }

    /** {@return its key in the limited queue} */
    byte[] limitedKey() {
        return LimitKeys.of(ref.keys()).limited(limitKey, priority, since, ref.id());
    }

    /** Lets the job wait in the limited queue. */
    void enterLimitedQueue(Transaction tx) {
        tx.set(limitedKey(), value());
        place(tx);
    }

    private void place(Transaction tx) {
        if (LayoutRow.mayUse(tx, Feature.STATUS_INDEX)) {
            PlacedJobs.of(tx).add(this);
        }
    }

    private byte[] value() {
        if (turnKey != null) {
            return Tuple.from(scheduledTime, turnKey).pack();
        }
        return scheduledTime == NO_TIME ? EMPTY : Tuple.from(scheduledTime).pack();
    }

    /** Removes the job from the limited queue. */
    void leaveLimitedQueue(Transaction tx) {
        tx.clear(limitedKey());
    }

    /** Puts the job into the queue from which processes claim. */
    void enterQueue(Transaction tx) {
        tx.set(queueKey(), EMPTY);
        place(tx);
        if (turnKey != null) {
            TurnRequest.write(tx, new TurnKey(ref.keys(), turnKey));
        }
    }

    /** Removes the job from the queue from which processes claim. */
    void leaveQueue(Transaction tx) {
        tx.clear(queueKey());
    }

    byte[] queueKey() {
        return QueueIndex.due(ref, turnKey, priority, since, scheduledTime);
    }
}
