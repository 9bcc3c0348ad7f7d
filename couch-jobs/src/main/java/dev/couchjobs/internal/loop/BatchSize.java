package dev.couchjobs.internal.loop;

import com.apple.foundationdb.FDBException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How many things one transaction takes, learnt from how it goes: FoundationDB gives it five seconds and ten megabytes,
 * and it is not known beforehand how many fit in.
 *
 * <p>Each further try of a transaction takes half as many as the one before, whatever that failed of, unless the code
 * that makes it knows better: a commit that came too late ({@code transaction_too_old}) is not told apart. One that is
 * too large ({@code transaction_too_large}) is never tried again by FoundationDB; it is begun anew with half as many.
 * What went well in the end is where the next transaction begins, and after each that went well at once the next takes
 * a tenth more.
 */
public final class BatchSize {
    private static final int TOO_LARGE = 2101;

    private final int max;
    private int size; // guarded by this

    /** A batch size that begins with the most there is ever to be. */
    public BatchSize(int max) {
        this.max = max;
        this.size = max;
    }

    /** {@return how many the next transaction takes} */
    public synchronized int now() {
        return size;
    }

    /** Learns from a transaction whose tries all took the same. */
    public synchronized void ended(@Nullable Throwable error) {
        size = error == null ? Math.min(max, size + (max + 9) / 10) : Math.max(1, size / 2);
    }

    /**
     * Runs a transaction, and if that is too large another.
     *
     * @param transaction runs one transaction, and each try of it by {@link Tries#next}
     */
    public <T> CompletableFuture<T> run(Function<Tries, CompletableFuture<T>> transaction) {
        Tries tries = new Tries(now());
        return transaction
                .apply(tries)
                .whenComplete((value, error) -> learn(tries, error))
                .exceptionallyCompose(error ->
                        isTooLarge(error) && tries.last > 1 ? run(transaction) : CompletableFuture.failedFuture(error));
    }

    private synchronized void learn(Tries tries, @Nullable Throwable error) {
        size = tries.last;
        if (error != null || !tries.isSmaller) {
            ended(error);
        }
    }

    /** {@return whether a transaction failed because of its size} */
    public static boolean isTooLarge(Throwable error) {
        return RootCauses.of(error) instanceof FDBException failure && failure.getCode() == TOO_LARGE;
    }

    /** The tries of one transaction, one after the other. */
    public static final class Tries {
        private final int first;
        private volatile int made;
        private volatile int last;
        private volatile boolean isSmaller;

        private Tries(int first) {
            this.first = first;
            this.last = first;
        }

        /** {@return with how many the first try is made} */
        public int first() {
            return first;
        }

        /** {@return whether the transaction has been tried before} */
        public boolean isAgain() {
            return made > 1;
        }

        /** Makes a try with as many as it may take, at least one. */
        public <T> CompletableFuture<T> next(IntFunction<CompletableFuture<T>> attempt) {
            if (made > 0) {
                last = Math.max(1, last / 2);
                isSmaller = true;
            }
            return again(attempt);
        }

        /** Makes a try with as many as the last one had: it failed of something else than how many they were. */
        @SuppressWarnings("NonAtomicVolatileUpdate") // a try is made when the one before has failed
        public <T> CompletableFuture<T> again(IntFunction<CompletableFuture<T>> attempt) {
            made++;
            return attempt.apply(last);
        }
    }
}
