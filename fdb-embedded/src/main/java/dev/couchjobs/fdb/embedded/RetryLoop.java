package dev.couchjobs.fdb.embedded;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncUtil;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs a function in a transaction, commits it, and does so again for as long as {@code onError} allows. */
final class RetryLoop<T> {
    private final Executor executor;
    private volatile Transaction transaction;
    private volatile @Nullable T result;

    RetryLoop(Transaction transaction, Executor executor) {
        this.transaction = transaction;
        this.executor = executor;
    }

    /** Blocks: it is what the blocking calls of {@code Database} are made of. */
    static <T> T run(EmbeddedTransaction first, Function<? super Transaction, T> retryable) {
        EmbeddedTransaction transaction = first;
        try {
            while (true) {
                try {
                    T result = retryable.apply(transaction);
                    transaction.commitAndWait();
                    return result;
                } catch (RuntimeException error) {
                    transaction = transaction.retryAfter(error).join();
                }
            }
        } finally {
            transaction.close();
        }
    }

    @SuppressWarnings("NullAway") // the function may well return null; the interface has no way to say so
    CompletableFuture<T> runAsync(Function<? super Transaction, ? extends CompletableFuture<T>> retryable) {
        return AsyncUtil.whileTrue(() -> tryOnce(retryable), executor)
                .thenApply(done -> result)
                .whenComplete((value, error) -> transaction.close());
    }

    /** Whether to try again. */
    private CompletableFuture<Boolean> tryOnce(
            Function<? super Transaction, ? extends CompletableFuture<T>> retryable) {
        CompletableFuture<Boolean> committed = AsyncUtil.applySafely(retryable, transaction)
                .thenComposeAsync(
                        value -> transaction.commit().thenApply(done -> {
                            result = value;
                            return false;
                        }),
                        executor);
        return AsyncUtil.composeHandleAsync(
                committed,
                (again, error) -> error == null ? CompletableFuture.completedFuture(again) : recover(error),
                executor);
    }

    private CompletableFuture<Boolean> recover(Throwable error) {
        if (!(error instanceof RuntimeException)) {
            throw new CompletionException(error);
        }
        return transaction.onError(error).thenApply(fresh -> {
            transaction = fresh;
            return true;
        });
    }
}
