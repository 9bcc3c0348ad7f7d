package dev.couchjobs.bridge.internal.transaction;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.ThreadTransaction;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.document.NodeDirectory;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.loop.GuardedExecutor;
import dev.couchjobs.loop.TransactionIdentifier;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one bridge share. The transactions of a context carry the tag of the library, and an identifier
 * that shows their purpose to the operators of a cluster.
 *
 * @param node the node's name
 * @param cluster all nodes
 * @param database the database of the jobs and the store
 * @param jobs the jobs
 * @param store the bridge's own rows
 * @param couch the node's CouchDB database
 * @param environment time, timers and randomness
 * @param retention how long the store keeps ended documents
 */
public record BridgeContext(
        String node,
        NodeDirectory cluster,
        Database database,
        CouchJobs jobs,
        BridgeStore store,
        CouchDatabase couch,
        Environment environment,
        Duration retention) {

    /** Nothing of the environment throws. */
    public BridgeContext {
        environment = environment.guarded();
    }

    /** The longest time between two rounds of a loop that waits for a watch. A watch may be lost. */
    public static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    /** The tag, and the prefix of the identifiers. */
    private static final String LABEL = "couch-jobs";

    /** {@return the executor of the database, which refuses nothing} */
    public Executor executor() {
        return GuardedExecutor.of(database, environment);
    }

    /** Runs a transaction. {@return the result of the body, after the commit} */
    public <T extends @Nullable Object> CompletableFuture<T> run(
            String purpose, Function<? super Transaction, CompletableFuture<T>> body) {
        return runIn(database, purpose, body);
    }

    /** Runs a transaction that only reads. {@return the result of the body} */
    public <T extends @Nullable Object> CompletableFuture<T> read(
            String purpose, Function<? super ReadTransaction, CompletableFuture<T>> body) {
        return read(database, purpose, body);
    }

    /**
     * Runs the body of a verb in the context that the caller gave: in the caller's transaction, or in its own.
     *
     * @return the result of the body; of a transaction of the bridge after the commit
     */
    public static <T extends @Nullable Object> CompletableFuture<T> run(
            TransactionContext context, String purpose, Function<? super Transaction, CompletableFuture<T>> body) {
        ThreadTransaction.requireJoined(context);
        return runIn(context, purpose, body);
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

    /** Runs a transaction that only reads, or a part of the caller's. {@return the result of the body} */
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

    /** A retry resets tag and identifier, so each try sets them. */
    private static void label(ReadTransaction tx, String purpose) {
        tx.options().setTag(LABEL);
        tx.options().setDebugTransactionIdentifier(TransactionIdentifier.of(LABEL + " bridge " + purpose));
    }
}
