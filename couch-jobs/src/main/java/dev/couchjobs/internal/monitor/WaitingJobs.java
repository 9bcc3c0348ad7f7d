package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.internal.data.PendingQueue;
import dev.couchjobs.internal.data.QueueEntry;
import dev.couchjobs.internal.data.RankedQueue;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Reads the first pending job of a type. */
final class WaitingJobs {
    private WaitingJobs() {}

    /** {@return the pending job that may run first, read without conflicts} */
    static CompletableFuture<Optional<QueueEntry>> first(ReadTransaction tx, TypeKeys keys) {
        return PendingQueue.first(tx.snapshot(), keys)
                .thenCombine(
                        RankedQueue.first(tx.snapshot(), keys),
                        (pending, ranked) -> Stream.concat(pending.stream(), ranked.stream())
                                .min(Comparator.comparingLong(WaitingJobs::mayRunFrom)));
    }

    /**
     * {@return the second since the epoch from which a job may run; 0 for now} A job in the due part of the ranked
     * queue counts as runnable regardless of its scheduled time, because jobs without one may follow it. A process
     * whose clock is ahead of this one may have moved it there.
     */
    static long mayRunFrom(QueueEntry job) {
        boolean isInDuePart = job.priority() != 0 && job.isDue();
        return isInDuePart ? 0 : job.scheduledTime();
    }
}
