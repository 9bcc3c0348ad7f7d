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

    /** {@return the one with the earliest scheduled time, if any waits; read without conflicts} */
    static CompletableFuture<Optional<QueueEntry>> first(ReadTransaction tx, TypeKeys keys) {
        return PendingQueue.first(tx.snapshot(), keys)
                .thenCombine(
                        RankedQueue.first(tx.snapshot(), keys),
                        (plain, ranked) -> Stream.concat(plain.stream(), ranked.stream())
                                .min(Comparator.comparingLong(QueueEntry::scheduledTime)));
    }
}
