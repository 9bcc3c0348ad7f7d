package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Reads the pending queue. Nothing here conflicts: whoever takes a job conflicts over the job's own row. */
public final class PendingQueue {
    private PendingQueue() {}

    /**
     * A row of the queue.
     *
     * @param scheduledTime seconds since the epoch, 0 for none
     * @param jobId the job that waits
     */
    public record Entry(long scheduledTime, String jobId) {
        /** {@return whether the job's own row says the same} */
        public boolean isBorneOutBy(JobRow job) {
            return job.state() == JobState.PENDING && !job.isBlocked() && job.scheduledTime() == scheduledTime;
        }
    }

    /** {@return the first rows without a scheduled time, by id} */
    public static CompletableFuture<List<Entry>> unscheduled(ReadTransaction tx, TypeKeys keys, int limit) {
        return read(tx, keys, keys.pendingUnscheduled(), limit);
    }

    /** {@return the first rows with a scheduled time up to {@code latest}: earliest time first, then by id} */
    public static CompletableFuture<List<Entry>> scheduledUpTo(
            ReadTransaction tx, TypeKeys keys, long latest, int limit) {
        return read(tx, keys, keys.pendingScheduledUpTo(latest), limit);
    }

    /** {@return rows without a scheduled time, from that id on and then round from the first} */
    public static CompletableFuture<List<Entry>> unscheduledFrom(
            ReadTransaction tx, TypeKeys keys, String from, int limit) {
        Range all = keys.pendingUnscheduled();
        byte[] middle = keys.pending(0, from);
        return read(tx, keys, new Range(middle, all.end), limit)
                .thenCompose(upper -> upper.size() == limit
                        ? CompletableFuture.completedFuture(upper)
                        : read(tx, keys, new Range(all.begin, middle), limit - upper.size())
                                .thenApply(lower -> concat(upper, lower)));
    }

    /** {@return the next scheduled time after it, if any job waits for one} */
    public static CompletableFuture<OptionalLong> nextAfter(ReadTransaction tx, TypeKeys keys, long scheduledTime) {
        return read(tx, keys, keys.pendingAfter(scheduledTime), 1)
                .thenApply(rows -> rows.stream().mapToLong(Entry::scheduledTime).findFirst());
    }

    /** Removes a row that its job's own row does not bear out. */
    public static void clear(Transaction tx, TypeKeys keys, Entry entry) {
        tx.clear(keys.pending(entry.scheduledTime(), entry.jobId()));
    }

    private static CompletableFuture<List<Entry>> read(ReadTransaction tx, TypeKeys keys, Range range, int limit) {
        return tx.snapshot()
                .getRange(range, limit)
                .asList()
                .thenApply(rows -> rows.stream().map(row -> decode(keys, row)).toList());
    }

    private static Entry decode(TypeKeys keys, KeyValue row) {
        Tuple key = keys.unpackPending(row.getKey());
        return new Entry(key.getLong(0), key.getString(1));
    }

    private static List<Entry> concat(List<Entry> upper, List<Entry> lower) {
        return Stream.concat(upper.stream(), lower.stream()).toList();
    }
}
