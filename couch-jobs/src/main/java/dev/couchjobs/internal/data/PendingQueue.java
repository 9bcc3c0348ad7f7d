package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Reads the pending queue. Nothing here conflicts: whoever takes a job conflicts over the job's own row. */
public final class PendingQueue {
    private PendingQueue() {}

    /** {@return the first rows without a scheduled time, by id} */
    public static CompletableFuture<List<Queued>> unscheduled(ReadTransaction tx, TypeKeys keys, int limit) {
        return read(tx, keys, keys.pendingUnscheduled(), limit);
    }

    /** {@return the first rows with a scheduled time up to {@code latest}: earliest time first, then by id} */
    public static CompletableFuture<List<Queued>> scheduledUpTo(
            ReadTransaction tx, TypeKeys keys, long latest, int limit) {
        return read(tx, keys, keys.pendingScheduledUpTo(latest), limit);
    }

    /** {@return rows without a scheduled time, from the place of that row on} */
    public static CompletableFuture<List<Queued>> unscheduledFrom(
            ReadTransaction tx, TypeKeys keys, Queued place, int limit) {
        return read(tx, keys, new Range(place.key(), keys.pendingUnscheduled().end), limit);
    }

    /** {@return rows without a scheduled time, from that id on and then round from the first, which are read as well} */
    public static CompletableFuture<List<Queued>> unscheduledFrom(
            ReadTransaction tx, TypeKeys keys, String from, int limit) {
        Range all = keys.pendingUnscheduled();
        byte[] middle = keys.pending(0, from);
        return read(tx, keys, new Range(middle, all.end), limit)
                .thenCombine(
                        read(tx, keys, new Range(all.begin, middle), limit),
                        (upper, lower) -> Stream.concat(upper.stream(), lower.stream())
                                .limit(limit)
                                .toList());
    }

    /** {@return the next scheduled time after it, if any job waits for one} */
    public static CompletableFuture<OptionalLong> nextAfter(ReadTransaction tx, TypeKeys keys, long scheduledTime) {
        return read(tx, keys, keys.pendingAfter(scheduledTime), 1)
                .thenApply(
                        rows -> rows.stream().mapToLong(Queued::scheduledTime).findFirst());
    }

    private static CompletableFuture<List<Queued>> read(ReadTransaction tx, TypeKeys keys, Range range, int limit) {
        return tx.snapshot()
                .getRange(range, limit)
                .asList()
                .thenApply(rows ->
                        rows.stream().map(row -> decode(keys, row.getKey())).toList());
    }

    static Queued decode(TypeKeys keys, byte[] key) {
        Tuple place = keys.unpackPending(key);
        long scheduledTime = place.getLong(0);
        return new Queued(key, place.getString(1), 0, Waiting.since(scheduledTime), scheduledTime, true);
    }
}
