package dev.couchjobs.internal.queue;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * All rows of the queues of one type, due or not. It exists only for queues so short that one read of each returns all.
 *
 * @param pending the rows of the pending queue, in its order
 * @param ranked the rows of the ranked queue, in its order
 */
record QueueSnapshot(List<QueueEntry> pending, List<QueueEntry> ranked) {
    /** Longer queues are read in parts that fit the demand. */
    private static final int ROWS_MAX = 16;

    /** {@return all rows, read without conflicts; empty if a queue is too long} */
    static CompletableFuture<Optional<QueueSnapshot>> read(Transaction tx, TypeKeys keys) {
        return PendingQueue.all(tx, keys, ROWS_MAX)
                .thenCombine(
                        RankedQueue.all(tx, keys, ROWS_MAX),
                        (pending, ranked) -> pending.flatMap(
                                pendingRows -> ranked.map(rankedRows -> new QueueSnapshot(pendingRows, rankedRows))));
    }

    List<QueueEntry> unscheduled() {
        return pending.stream().filter(row -> row.scheduledTime() == 0).toList();
    }

    /** {@return the pending rows with a scheduled time up to {@code latest}} */
    List<QueueEntry> scheduledUpTo(long latest) {
        return pending.stream()
                .filter(row -> row.scheduledTime() > 0 && row.scheduledTime() <= latest)
                .toList();
    }

    /** {@return the ranked rows with no scheduled time or one up to {@code latest}} */
    List<QueueEntry> rankedUpTo(long latest) {
        return ranked.stream().filter(row -> row.scheduledTime() <= latest).toList();
    }

    /** {@return the earliest scheduled time of a row after {@code scheduledTime}, if there is one} */
    OptionalLong nextAfter(long scheduledTime) {
        return Stream.concat(pending.stream(), ranked.stream())
                .mapToLong(QueueEntry::scheduledTime)
                .filter(time -> time > scheduledTime)
                .min();
    }
}
