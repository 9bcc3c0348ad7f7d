package dev.couchjobs.internal.transactions;

import dev.couchjobs.JobsListener;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.loop.Observers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts the tries and conflicts of one transaction, and reports its end. */
class TryReport {
    /** Of a transaction that is not reported. */
    static final TryReport NONE = new TryReport();

    private static final int CONFLICT = 1020;

    private TryReport() {}

    /** {@return the report of a transaction that begins; one that does nothing if there are no listeners} */
    static TryReport begin(Observers<JobsListener> listeners, TransactionLabel label, InstantSource clock) {
        return listeners.isEmpty() ? NONE : new Counting(listeners, label, clock);
    }

    void nextTry() {}

    /** A try has failed, and perhaps another follows. */
    void failedTry(Throwable error) {}

    /** {@return whether {@link #failedTry} is to be called} */
    boolean wantsFailedTries() {
        return false;
    }

    <T extends @Nullable Object> CompletableFuture<T> end(CompletableFuture<T> transaction) {
        return transaction;
    }

    private static final class Counting extends TryReport {
        private final Observers<JobsListener> listeners;
        private final TransactionLabel label;
        private final InstantSource clock;
        private final Instant startedAt;
        private final AtomicInteger tries = new AtomicInteger();
        private final AtomicInteger conflicts = new AtomicInteger();

        Counting(Observers<JobsListener> listeners, TransactionLabel label, InstantSource clock) {
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
        void failedTry(Throwable error) {
            if (RootCauses.hasCode(error, CONFLICT)) {
                conflicts.incrementAndGet();
            }
        }

        @Override
        boolean wantsFailedTries() {
            return true;
        }

        @Override
        <T extends @Nullable Object> CompletableFuture<T> end(CompletableFuture<T> transaction) {
            return transaction.whenComplete((result, error) -> {
                JobsListener.TransactionEnded event = new JobsListener.TransactionEnded(
                        label.purpose(),
                        label.typeName(),
                        tries.get(),
                        conflicts.get(),
                        Duration.between(startedAt, clock.instant()),
                        Optional.ofNullable(error).map(RootCauses::of));
                listeners.report("transactionEnded", listener -> listener.transactionEnded(event));
            });
        }
    }
}
