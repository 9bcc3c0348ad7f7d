package dev.couchjobs.bridge.internal.transaction;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.document.NodeDirectory;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one bridge have in common. The transactions that it runs for them carry the tag of couch-jobs, and
 * say to the operators of a cluster what they are for.
 *
 * @param node the node's name
 * @param cluster all nodes
 * @param database where the jobs and the ledger are
 * @param jobs the jobs
 * @param store the bridge's own rows
 * @param couch the node's CouchDB
 * @param environment time, timer and chance
 * @param retention how long ended documents are remembered
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

    /** A loop that waits for a watch looks again after this time, whatever became of the watch. */
    public static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    /** The tag of the library, with which its identifiers begin, too. */
    private static final String LABEL = "couch-jobs";

    /** {@return the id of this node's store, which is made at its first start} */
    public CompletableFuture<String> owner() {
        String fresh =
                new UUID(environment.random().nextLong(), environment.random().nextLong()).toString();
        return run("look whose store it is", tx -> store.owner(tx, node, fresh));
    }

    /** Runs a transaction. {@return what its body gave, when it is committed} */
    public <T extends @Nullable Object> CompletableFuture<T> run(
            String purpose, Function<? super Transaction, CompletableFuture<T>> body) {
        return database.runAsync(tx -> {
            label(tx, purpose);
            return body.apply(tx);
        });
    }

    /** Runs a transaction that only reads. {@return what its body gave} */
    public <T extends @Nullable Object> CompletableFuture<T> read(
            String purpose, Function<? super ReadTransaction, CompletableFuture<T>> body) {
        return database.readAsync(tx -> {
            label(tx, purpose);
            return body.apply(tx);
        });
    }

    /** Every try forgets both. */
    private static void label(ReadTransaction tx, String purpose) {
        tx.options().setTag(LABEL);
        tx.options().setDebugTransactionIdentifier(LABEL + " bridge " + purpose);
    }
}
