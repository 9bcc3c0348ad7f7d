package dev.couchjobs.topics.internal.transactions;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.ThreadTransaction;
import dev.couchjobs.loop.TransactionIdentifier;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Opens all transactions of the library. Operators of a cluster see their purpose. */
public final class TopicTransactions {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String LABEL = "couch-jobs";

    private TopicTransactions() {}

    /** Runs the body of a verb in the context that the caller gave: in the caller's transaction, or in its own. */
    public static <T extends @Nullable Object> CompletableFuture<T> run(
            TransactionContext context, String purpose, Function<? super Transaction, CompletableFuture<T>> body) {
        ThreadTransaction.requireJoined(context);
        return runIn(context, purpose, body);
    }

    /** Runs a transaction of the library's own, which no caller can join. */
    public static <T extends @Nullable Object> CompletableFuture<T> run(
            Database database, String purpose, Function<? super Transaction, CompletableFuture<T>> body) {
        return runIn(database, purpose, body);
    }

    private static <T extends @Nullable Object> CompletableFuture<T> runIn(
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
        tx.options().setDebugTransactionIdentifier(TransactionIdentifier.of(LABEL + " topics " + purpose));
    }
}
