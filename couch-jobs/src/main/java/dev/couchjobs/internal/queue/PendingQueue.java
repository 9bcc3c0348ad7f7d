package dev.couchjobs.internal.queue;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.internal.feature.JobIndex;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Reads the pending queue, without conflicts: claims of a job conflict on the job's own row. */
public final class PendingQueue {
    /** All rows of the queue. */
    public static final JobIndex ROWS = new JobIndex() {
        @Override
        public Range range(TypeKeys keys) {
            return QueueKeys.of(keys).pending();
        }

        @Override
        public Statement decode(TypeKeys keys, KeyValue row) {
            return PendingQueue.decode(keys, row.getKey()).statement(keys);
        }
    };

    private PendingQueue() {}

    /** {@return the range of the rows without a scheduled time, by id} */
    public static Range unscheduled(TypeKeys keys) {
        return QueueKeys.of(keys).pendingUnscheduled();
    }

    /** {@return the range of the rows with a scheduled time up to {@code latest}, by time, then by id} */
    public static Range scheduledUpTo(TypeKeys keys, long latest) {
        return QueueKeys.of(keys).pendingScheduledUpTo(latest);
    }

    /** {@return the first stored rows of a part of the queue} */
    static CompletableFuture<List<KeyValue>> keyValues(ReadTransaction tx, Range part, int limit) {
        return tx.snapshot().getRange(part, limit).asList();
    }

    /** {@return the first row: without a scheduled time, or else with the earliest one} */
    public static CompletableFuture<Optional<QueueEntry>> first(ReadTransaction tx, TypeKeys keys) {
        return first(tx, keys, QueueKeys.of(keys).pending());
    }

    /** {@return the first row of a part of the queue} */
    public static CompletableFuture<Optional<QueueEntry>> first(ReadTransaction tx, TypeKeys keys, Range part) {
        return read(tx, keys, part, 1).thenApply(rows -> rows.stream().findFirst());
    }

    /** {@return the decoded rows, linked to each other if all of them can be decoded} */
    static List<QueueEntry> rows(ReadTransaction tx, TypeKeys keys, List<KeyValue> stored) {
        List<QueueEntry> rows = Quarantine.readable(tx, keys, stored, row -> decode(keys, row.getKey()));
        if (rows.size() == stored.size()) {
            QueueEntry.link(rows);
        }
        return rows;
    }

    /**
     * Removes the rows from {@code first} to {@code last}, which the transaction has read without a gap. The
     * transaction conflicts with every change of the queue between them.
     */
    static void clear(Transaction tx, QueueEntry first, QueueEntry last) {
        byte[] begin = first.key();
        byte[] end = ByteArrayUtil.keyAfter(last.key());
        tx.addReadConflictRange(begin, end);
        tx.clear(begin, end);
    }

    /** {@return all rows, if there are fewer than the limit} */
    static CompletableFuture<Optional<List<QueueEntry>>> all(ReadTransaction tx, TypeKeys keys, int limit) {
        return keyValues(tx, QueueKeys.of(keys).pending(), limit)
                .thenApply(stored -> stored.size() < limit ? Optional.of(rows(tx, keys, stored)) : Optional.empty());
    }

    private static CompletableFuture<List<QueueEntry>> read(ReadTransaction tx, TypeKeys keys, Range part, int limit) {
        return Quarantine.range(tx, keys, part, limit, false, row -> decode(keys, row.getKey()));
    }

    /**
     * {@return rows without a scheduled time, beginning with an id and continuing with the first row}
     */
    static CompletableFuture<List<QueueEntry>> unscheduledFrom(
            ReadTransaction tx, TypeKeys keys, String from, int limit) {
        Range all = QueueKeys.of(keys).pendingUnscheduled();
        byte[] middle = QueueKeys.of(keys).pending(0, from);
        return read(tx, keys, new Range(middle, all.end), limit)
                .thenCombine(
                        read(tx, keys, new Range(all.begin, middle), limit),
                        (upper, lower) -> Stream.concat(upper.stream(), lower.stream())
                                .limit(limit)
                                .toList());
    }

    /** {@return the next scheduled time after a time, if a job has one} */
    static CompletableFuture<OptionalLong> nextAfter(ReadTransaction tx, TypeKeys keys, long scheduledTime) {
        return read(tx, keys, QueueKeys.of(keys).pendingAfter(scheduledTime), 1)
                .thenApply(rows ->
                        rows.stream().mapToLong(QueueEntry::scheduledTime).findFirst());
    }

    static QueueEntry decode(TypeKeys keys, byte[] key) {
        TupleReader path = QueueKeys.of(keys).readPending(key);
        long scheduledTime = path.readLong();
        String jobId = path.readString();
        Keyspace.checkJobId(jobId);
        return new QueueEntry(key, jobId, 0, QueueIndex.since(scheduledTime), scheduledTime, true);
    }
}
