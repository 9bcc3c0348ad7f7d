package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.rows.TransactionScope;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Discards the scopes of a transaction's tries as soon as they have ended. A garbage collection would free them only
 * after it has copied them.
 */
final class TryScopes {
    private static final int CANCELLED = 1025;

    private volatile @Nullable Transaction current;

    private TryScopes() {}

    /** A loop that runs a body in tries, and ends their transaction. */
    @FunctionalInterface
    interface RetryLoop<T extends @Nullable Object> {
        T run(Function<Transaction, T> body);
    }

    /** Runs a loop that blocks the calling thread. */
    static <T extends @Nullable Object> T run(RetryLoop<T> loop, Function<Transaction, T> body) {
        TryScopes scopes = new TryScopes();
        try {
            return loop.run(scopes.discarding(body));
        } catch (RuntimeException e) {
            throw RootCauses.thrown(scopes.explained(e));
        } finally {
            scopes.discardLast();
        }
    }

    static <T extends @Nullable Object> CompletableFuture<T> runAsync(
            RetryLoop<CompletableFuture<T>> loop, Function<Transaction, CompletableFuture<T>> body) {
        TryScopes scopes = new TryScopes();
        return loop.run(scopes.discarding(body)).handle((value, error) -> {
            Throwable cause = error == null ? null : scopes.explained(error);
            scopes.discardLast();
            if (cause != null) {
                throw cause instanceof CompletionException wrapped ? wrapped : new CompletionException(cause);
            }
            return value;
        });
    }

    private <T extends @Nullable Object> Function<Transaction, T> discarding(Function<Transaction, T> body) {
        return tx -> {
            discardLast();
            current = tx;
            return body.apply(tx);
        };
    }

    /** {@return the refusal of a verb, if its transaction was to commit all the same; otherwise the error} */
    private Throwable explained(Throwable error) {
        Transaction last = current;
        return last != null && RootCauses.hasCode(error, CANCELLED)
                ? TransactionScope.refusal(last)
                        .<Throwable>map(refusal -> refusal)
                        .orElse(error)
                : error;
    }

    private void discardLast() {
        Transaction last = current;
        if (last != null) {
            JobStore.discard(last);
        }
    }
}
