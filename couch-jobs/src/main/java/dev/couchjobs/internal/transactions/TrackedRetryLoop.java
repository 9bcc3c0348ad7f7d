package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncUtil;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tries a transaction until it commits or {@code onError} gives up, as a {@code Database} does, and reports each try
 * that failed but may have committed. The loop of a {@code Database} does not pass the error of a commit to its body.
 */
final class TrackedRetryLoop<T extends @Nullable Object> {
    /** {@code FDBException.isMaybeCommitted} calls the native library, which may be absent. */
    private static final Set<Integer> MAYBE_COMMITTED =
            Set.of(1021 /* commit_unknown_result */, 1039 /* cluster_version_changed */);

    private static final int CONFLICT = 1020;

    private final Executor executor;
    private final Runnable ifUnknown;
    private final TryReport report;
    private final AtomicInteger conflictsLeft;
    private final Function<? super Transaction, ? extends CompletableFuture<T>> body;
    private volatile Transaction transaction;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<T> closed = result.whenComplete((value, error) -> transaction.close());

    /**
     * @param first the transaction of the first try, closed in the end
     * @param ifUnknown runs after each try with an unknown result, before the next try
     * @param report is told of each try that fails
     * @param conflictsMax after so many conflicts no try follows
     * @param body runs in each try
     */
    TrackedRetryLoop(
            Transaction first,
            Runnable ifUnknown,
            TryReport report,
            int conflictsMax,
            Function<? super Transaction, ? extends CompletableFuture<T>> body) {
        this.report = report;
        this.conflictsLeft = new AtomicInteger(conflictsMax);
        this.transaction = first;
        this.executor = GuardedExecutor.of(first);
        this.ifUnknown = ifUnknown;
        this.body = body;
    }

    /** Runs a transaction and blocks the calling thread. */
    static <T extends @Nullable Object> T run(
            Transaction first, Runnable ifUnknown, Function<? super Transaction, T> body) {
        Transaction transaction = first;
        try {
            while (true) {
                try {
                    T value = body.apply(transaction);
                    transaction.commit().join();
                    return value;
                } catch (RuntimeException error) {
                    runIfUnknown(error, ifUnknown);
                    transaction = transaction.onError(error).join();
                }
            }
        } finally {
            transaction.close();
        }
    }

    /** Makes one try, and the next if it fails. */
    CompletableFuture<T> run() {
        CompletableFuture<T> done = AsyncUtil.applySafely(body, transaction);
        // A body that read on other threads may complete on one that must not be blocked.
        CompletableFuture<T> committed =
                done.isDone() ? done.thenCompose(this::commit) : done.thenComposeAsync(this::commit, executor);
        var unused = committed.whenComplete((value, error) -> {
            if (error == null) {
                result.complete(value);
            } else {
                recover(error);
            }
        });
        return closed;
    }

    private CompletableFuture<T> commit(T value) {
        return transaction.commit().thenApply(done -> value);
    }

    /** Continues on the executor, so that many tries do not become a deep stack. */
    private void recover(Throwable error) {
        report.failedTry(error);
        runIfUnknown(error, ifUnknown);
        if (RootCauses.hasCode(error, CONFLICT) && conflictsLeft.decrementAndGet() == 0) {
            result.completeExceptionally(error);
            return;
        }
        var unused = retryAfter(error)
                .thenAcceptAsync(
                        fresh -> {
                            transaction = fresh;
                            var unusedResult = run();
                        },
                        executor)
                .exceptionally(hopeless -> {
                    result.completeExceptionally(hopeless);
                    return null;
                });
    }

    private CompletableFuture<Transaction> retryAfter(Throwable error) {
        return error instanceof RuntimeException
                ? AsyncUtil.applySafely(transaction::onError, error) // one that is closed throws
                : CompletableFuture.failedFuture(new CompletionException(error));
    }

    private static void runIfUnknown(Throwable error, Runnable ifUnknown) {
        if (RootCauses.of(error) instanceof FDBException failure && MAYBE_COMMITTED.contains(failure.getCode())) {
            ifUnknown.run();
        }
    }
}
