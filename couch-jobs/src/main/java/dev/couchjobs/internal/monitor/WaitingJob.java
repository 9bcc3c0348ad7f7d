package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.limits.SlotTable;
import dev.couchjobs.internal.limits.TokenWaits;
import dev.couchjobs.internal.queue.PendingQueue;
import dev.couchjobs.internal.queue.QueueEntry;
import dev.couchjobs.internal.queue.RankedQueue;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * A pending job that a process should claim.
 *
 * @param jobId its id
 * @param mayRunFrom the second since the epoch from which it may run; 0 for now
 */
record WaitingJob(String jobId, long mayRunFrom) {
    private static final long NOW = 0;

    /**
     * {@return the pending job of a type that may run first, read without conflicts} A job that waits for a token of
     * its limit key counts once there may be one.
     */
    static CompletableFuture<Optional<WaitingJob>> first(Transaction tx, TypeKeys keys, LayoutRow layoutRow) {
        CompletableFuture<Optional<WaitingJob>> forToken = layoutRow
                .checkedBy(tx)
                .thenCompose(layout -> layout.mayUse(Feature.KEY_RATES)
                        ? firstForToken(tx, keys)
                        : CompletableFuture.completedFuture(Optional.empty()));
        return PendingQueue.first(tx.snapshot(), keys)
                .thenCombine(
                        RankedQueue.first(tx.snapshot(), keys),
                        (pending, ranked) -> Stream.concat(pending.stream(), ranked.stream())
                                .map(job -> new WaitingJob(job.jobId(), mayRunFrom(job))))
                .thenCombine(
                        forToken,
                        (queued, waiting) -> Stream.concat(queued, waiting.stream())
                                .min(Comparator.comparingLong(WaitingJob::mayRunFrom)));
    }

    private static CompletableFuture<Optional<WaitingJob>> firstForToken(Transaction tx, TypeKeys keys) {
        return TokenWaits.due(tx, keys, 1)
                .thenCompose(due -> due.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : SlotTable.waiting(tx, keys, due.get(0).limitKey(), Optional.empty(), 1)
                                .thenApply(jobs -> jobs.stream()
                                        .map(job -> new WaitingJob(job.ref().id(), NOW))
                                        .findFirst()));
    }

    /**
     * A job in the due part of the ranked queue counts as runnable regardless of its scheduled time, because jobs
     * without one may follow it. A process whose clock is ahead of this one may have moved it there.
     */
    private static long mayRunFrom(QueueEntry job) {
        boolean isInDuePart = job.priority() != 0 && job.isDue();
        return isInDuePart ? NOW : job.scheduledTime();
    }
}
