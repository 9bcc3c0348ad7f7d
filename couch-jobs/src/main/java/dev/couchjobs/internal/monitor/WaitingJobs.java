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

/** The jobs of a type that wait to run. */
final class WaitingJobs {
    private WaitingJobs() {}

    /** {@return the one that may run first, if any waits; read without conflicts} */
    static CompletableFuture<Optional<QueueEntry>> first(ReadTransaction tx, TypeKeys keys) {
        return PendingQueue.first(tx.snapshot(), keys)
                .thenCombine(
                        RankedQueue.first(tx.snapshot(), keys),
                        (plain, ranked) -> Stream.concat(plain.stream(), ranked.stream())
                                .min(Comparator.comparingLong(WaitingJobs::mayRunFrom)));
    }

    /**
     * {@return from when on a job may run, in seconds since the epoch; 0 for at once} A job that stands in the order of
     * priorities counts as one that may run, whatever its scheduled time: jobs without one may stand behind it. It was
     * moved there by a process whose clock may be ahead of this one.
     */
    static long mayRunFrom(QueueEntry job) {
        boolean isInOrderOfPriorities = job.priority() != 0 && job.isDue();
        return isInOrderOfPriorities ? 0 : job.scheduledTime();
    }
}
