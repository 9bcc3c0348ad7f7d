package dev.couchjobs.internal.transactions;

import dev.couchjobs.internal.loop.RootCauses;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Records the last error of the tries of one transaction, and attaches it to a timeout. FoundationDB reports only the
 * timeout, and not that the database is locked, for example, or that operators throttle the transaction.
 */
final class LastError {
    private static final int TIMED_OUT = 1031;

    private volatile @Nullable Throwable last;

    <T extends @Nullable Object> CompletableFuture<T> record(CompletableFuture<T> future) {
        return future.whenComplete((value, error) -> {
            if (error != null && !isTimeout(error)) {
                last = RootCauses.of(error);
            }
        });
    }

    <T extends @Nullable Object> CompletableFuture<T> explain(CompletableFuture<T> transaction) {
        return transaction.whenComplete((value, error) -> {
            Throwable reason = last;
            if (error != null && reason != null && isTimeout(error)) {
                RootCauses.of(error).addSuppressed(reason);
            }
        });
    }

    private static boolean isTimeout(Throwable error) {
        return RootCauses.hasCode(error, TIMED_OUT);
    }
}
