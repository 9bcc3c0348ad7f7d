package dev.couchjobs.internal.loop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The number of items in one transaction. The size adapts: FoundationDB limits a transaction to five seconds and ten
 * megabytes, and how many items fit is not known beforehand.
 *
 * <p>Each further try of a transaction takes half as many items as the one before, whatever its error, unless the
 * caller decides otherwise. FoundationDB does not retry {@code transaction_too_large}; the batch starts a new
 * transaction with half as many. The next transaction starts with the size that succeeded, and with a tenth more after
 * a success at the first try.
 */
public final class BatchSize {
    private static final int TOO_LARGE = 2101;

    private final int max;

    @GuardedBy("this") private int size;

    /** @param max the largest size, with which the first transaction starts */
    public BatchSize(int max) {
        this.max = max;
        this.size = max;
    }

    /** {@return how many the next transaction takes} */
    public synchronized int now() {
        return size;
    }

    /** Adapts to the end of a transaction whose tries all had the same size. */
    public synchronized void ended(@Nullable Throwable error) {
        size = error == null ? Math.min(max, size + (max + 9) / 10) : Math.max(1, size / 2);
    }

    /**
     * Runs a transaction, and another one if it is too large.
     *
     * @param transaction runs one transaction, and each try of it by {@link Tries#next}
     */
    public <T> CompletableFuture<T> run(Function<Tries, CompletableFuture<T>> transaction) {
        Tries tries = new Tries(now());
        return transaction
                .apply(tries)
                .whenComplete((value, error) -> adapt(tries, error))
                .exceptionallyCompose(error ->
                        isTooLarge(error) && tries.last > 1 ? run(transaction) : CompletableFuture.failedFuture(error));
    }

    private synchronized void adapt(Tries tries, @Nullable Throwable error) {
        size = tries.last;
        if (error != null || !tries.isSmaller) {
            ended(error);
        }
    }

    /** {@return whether a transaction failed because of its size} */
    public static boolean isTooLarge(Throwable error) {
        return RootCauses.hasCode(error, TOO_LARGE);
    }

    /** The tries of one transaction, one after the other. */
    public static final class Tries {
        private final int first;
        private volatile int count;
        private volatile int last;
        private volatile boolean isSmaller;

        private Tries(int first) {
            this.first = first;
            this.last = first;
        }

        /** {@return the size of the first try} */
        public int first() {
            return first;
        }

        /** {@return whether the current try is not the first} */
        public boolean isRetry() {
            return count > 1;
        }

        /** Makes a try with the current size, at least one. */
        public <T> CompletableFuture<T> next(IntFunction<CompletableFuture<T>> body) {
            if (count > 0) {
                last = Math.max(1, last / 2);
                isSmaller = true;
            }
            return nextOfSameSize(body);
        }

        /** Makes a try with the size of the last one, whose error had another cause. */
        @SuppressWarnings("NonAtomicVolatileUpdate") // a try begins after the previous one has failed
        public <T> CompletableFuture<T> nextOfSameSize(IntFunction<CompletableFuture<T>> body) {
            count++;
            return body.apply(last);
        }
    }
}
