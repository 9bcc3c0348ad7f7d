package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncUtil;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Runs a function in a transaction, commits it, and does so again for as long as {@code onError} allows. */
final class RetryLoop<T> {
    private final Executor executor;
    private final Function<? super Transaction, ? extends CompletableFuture<T>> retryable;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private volatile Transaction transaction;

    private RetryLoop(
            Transaction transaction,
            Executor executor,
            Function<? super Transaction, ? extends CompletableFuture<T>> retryable) {
        this.transaction = transaction;
        this.executor = executor;
        this.retryable = retryable;
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

    /**
     * Calls the function at once, on this thread, and every further time on the executor. A try that ends well takes no
     * other way to another thread than the answer to its commit.
     */
    static <T> CompletableFuture<T> runAsync(
            Transaction first,
            Executor executor,
            Function<? super Transaction, ? extends CompletableFuture<T>> retryable) {
        RetryLoop<T> loop = new RetryLoop<>(first, executor, retryable);
        loop.tryOnce();
        return loop.result.whenComplete((value, error) -> loop.transaction.close());
    }

    private void tryOnce() {
        CompletableFuture<T> body =
                AsyncUtil.applySafely(tx -> Objects.requireNonNull(retryable.apply(tx), "no future"), transaction);
        // A function that has done its reads elsewhere may end on a thread that is not to be kept.
        CompletableFuture<T> committed =
                body.isDone() ? body.thenCompose(this::commit) : body.thenComposeAsync(this::commit, executor);
        var unused = committed.whenComplete((value, error) -> {
            if (error == null) {
                result.complete(value);
            } else {
                recover(error);
            }
        });
    }

    private CompletableFuture<T> commit(T value) {
        return transaction.commit().thenApply(done -> value);
    }

    /** Goes on by way of the executor, so that many tries do not become a deep stack. */
    private void recover(Throwable error) {
        var unused = retryAfter(error)
                .thenAcceptAsync(
                        fresh -> {
                            transaction = fresh;
                            tryOnce();
                        },
                        executor)
                .exceptionally(hopeless -> {
                    result.completeExceptionally(hopeless);
                    return null;
                });
    }

    private CompletableFuture<Transaction> retryAfter(Throwable error) {
        return error instanceof RuntimeException
                ? transaction.onError(error)
                : CompletableFuture.failedFuture(new CompletionException(error));
    }
}
