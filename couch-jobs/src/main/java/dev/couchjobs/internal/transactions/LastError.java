package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.internal.loop.RootCauses;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The errors of the tries of one transaction, which explain why its time ran out. FoundationDB says only that it did,
 * and not that the database is locked, say, or that operators throttle it.
 */
final class LastError {
    private static final int TIMED_OUT = 1031;

    private volatile @Nullable Throwable last;

    <T extends @Nullable Object> CompletableFuture<T> note(CompletableFuture<T> future) {
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
        return RootCauses.of(error) instanceof FDBException failure && failure.getCode() == TIMED_OUT;
    }
}
