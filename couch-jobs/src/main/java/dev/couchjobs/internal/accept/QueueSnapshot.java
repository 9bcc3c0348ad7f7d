package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.PendingQueue;
import dev.couchjobs.internal.data.QueueEntry;
import dev.couchjobs.internal.data.RankedQueue;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * All that waits in the queues of one type, due or not, while it is so little that one read of each queue sees it.
 *
 * @param pending the rows of the pending queue, in its order
 * @param ranked the rows of jobs with a priority of their own, in their order
 */
record QueueSnapshot(List<QueueEntry> pending, List<QueueEntry> ranked) {
    /** More are read in parts that fit what is wanted. */
    private static final int ROWS_MAX = 16;

    /** {@return all rows, read without conflicts; empty if there are too many} */
    static CompletableFuture<Optional<QueueSnapshot>> read(Transaction tx, TypeKeys keys) {
        return PendingQueue.all(tx, keys, ROWS_MAX)
                .thenCombine(
                        RankedQueue.all(tx, keys, ROWS_MAX),
                        (pending, ranked) ->
                                pending.flatMap(plain -> ranked.map(others -> new QueueSnapshot(plain, others))));
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

    /** {@return the rows with a priority of their own that may be taken up to {@code latest}} */
    List<QueueEntry> rankedUpTo(long latest) {
        return ranked.stream().filter(row -> row.scheduledTime() <= latest).toList();
    }

    /** {@return the next scheduled time after it, if any job waits for one} */
    OptionalLong nextAfter(long scheduledTime) {
        return Stream.concat(pending.stream(), ranked.stream())
                .mapToLong(QueueEntry::scheduledTime)
                .filter(time -> time > scheduledTime)
                .min();
    }
}
