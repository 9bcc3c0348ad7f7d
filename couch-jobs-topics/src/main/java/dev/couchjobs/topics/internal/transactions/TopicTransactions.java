package dev.couchjobs.topics.internal.transactions;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Opens all transactions of the library. Operators of a cluster see their purpose. */
public final class TopicTransactions {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String LABEL = "couch-jobs";

    private TopicTransactions() {}

    /** Runs a body in the caller's transaction, or in one of its own. */
    public static <T extends @Nullable Object> CompletableFuture<T> run(
            TransactionContext context, String purpose, Function<? super Transaction, CompletableFuture<T>> body) {
        return context.runAsync(tx -> {
            if (context instanceof Database) {
                label(tx, purpose);
            }
            return body.apply(tx);
        });
    }

    /** Runs a body that only reads. */
    public static <T extends @Nullable Object> CompletableFuture<T> read(
            ReadTransactionContext context,
            String purpose,
            Function<? super ReadTransaction, CompletableFuture<T>> body) {
        return context.readAsync(tx -> {
            if (context instanceof Database) {
                label(tx, purpose);
            }
            return body.apply(tx);
        });
    }

    /** A retry resets the options, so each try sets them. */
    private static void label(ReadTransaction tx, String purpose) {
        tx.options().setTimeout(TIMEOUT.toMillis());
        tx.options().setTag(LABEL);
        tx.options().setDebugTransactionIdentifier(LABEL + " topics " + purpose);
    }
}
