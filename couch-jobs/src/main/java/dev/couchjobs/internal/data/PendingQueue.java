package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Reads the pending queue. Nothing here conflicts: claims of a job conflict over the job's own row. */
public final class PendingQueue {
    private PendingQueue() {}

    /** {@return where all rows without a scheduled time are, by id} */
    public static Range unscheduled(TypeKeys keys) {
        return keys.pendingUnscheduled();
    }

    /** {@return where all rows with a scheduled time up to {@code latest} are: earliest time first, then by id} */
    public static Range scheduledUpTo(TypeKeys keys, long latest) {
        return keys.pendingScheduledUpTo(latest);
    }

    /** {@return the first rows of a part of the queue as they are stored, in its order} */
    public static CompletableFuture<List<KeyValue>> places(ReadTransaction tx, Range part, int limit) {
        return tx.snapshot().getRange(part, limit).asList();
    }

    /** {@return the first row: one without a scheduled time, or else the one with the earliest} */
    public static CompletableFuture<Optional<QueueEntry>> first(ReadTransaction tx, TypeKeys keys) {
        return read(tx, keys, keys.pending(), 1).thenApply(rows -> rows.stream().findFirst());
    }

    /** {@return what those rows say} */
    public static List<QueueEntry> rows(ReadTransaction tx, TypeKeys keys, List<KeyValue> places) {
        return Quarantine.readable(tx, keys, places, row -> decode(keys, row.getKey()));
    }

    /** {@return all rows, due or not, if there are fewer than that} */
    public static CompletableFuture<Optional<List<QueueEntry>>> all(ReadTransaction tx, TypeKeys keys, int limit) {
        return places(tx, keys.pending(), limit)
                .thenApply(places -> places.size() < limit ? Optional.of(rows(tx, keys, places)) : Optional.empty());
    }

    private static CompletableFuture<List<QueueEntry>> read(ReadTransaction tx, TypeKeys keys, Range part, int limit) {
        return Quarantine.range(tx, keys, part, limit, false, row -> decode(keys, row.getKey()));
    }

    /**
     * {@return rows without a scheduled time, from that id on and then round from the first, which are read as well}
     */
    public static CompletableFuture<List<QueueEntry>> unscheduledFrom(
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
                .thenApply(rows ->
                        rows.stream().mapToLong(QueueEntry::scheduledTime).findFirst());
    }

    static QueueEntry decode(TypeKeys keys, byte[] key) {
        Tuple place = keys.unpackPending(key);
        long scheduledTime = place.getLong(0);
        return new QueueEntry(key, Keyspace.jobId(place, 1), 0, QueueIndex.since(scheduledTime), scheduledTime, true);
    }
}
