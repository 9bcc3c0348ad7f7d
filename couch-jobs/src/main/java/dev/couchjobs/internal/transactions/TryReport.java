package dev.couchjobs.internal.transactions;

import dev.couchjobs.JobsListener;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.observe.Listeners;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts the tries of one transaction, and reports its end. */
class TryReport {
    private static final TryReport NONE = new TryReport();

    private TryReport() {}

    /** {@return the report of a transaction that begins; one that does nothing if there are no listeners} */
    static TryReport begin(Listeners listeners, TransactionLabel label, InstantSource clock) {
        return listeners.isEmpty() ? NONE : new Counting(listeners, label, clock);
    }

    void nextTry() {}

    <T extends @Nullable Object> CompletableFuture<T> end(CompletableFuture<T> transaction) {
        return transaction;
    }

    private static final class Counting extends TryReport {
        private final Listeners listeners;
        private final TransactionLabel label;
        private final InstantSource clock;
        private final Instant startedAt;
        private final AtomicInteger tries = new AtomicInteger();

        Counting(Listeners listeners, TransactionLabel label, InstantSource clock) {
            this.listeners = listeners;
            this.label = label;
            this.clock = clock;
            this.startedAt = clock.instant();
        }

        @Override
        void nextTry() {
            tries.incrementAndGet();
        }

        @Override
        <T extends @Nullable Object> CompletableFuture<T> end(CompletableFuture<T> transaction) {
            return transaction.whenComplete((result, error) -> {
                JobsListener.TransactionEnded event = new JobsListener.TransactionEnded(
                        label.purpose(),
                        label.typeName(),
                        tries.get(),
                        Duration.between(startedAt, clock.instant()),
                        Optional.ofNullable(error).map(RootCauses::of));
                listeners.report(listener -> listener.transactionEnded(event));
            });
        }
    }
}
