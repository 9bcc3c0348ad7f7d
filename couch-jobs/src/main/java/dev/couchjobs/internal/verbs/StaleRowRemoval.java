package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Database;
import dev.couchjobs.internal.feature.JobIndex;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.quarantine.StaleRows;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Removes the stale rows that a listing has met, in a further transaction. If that fails, a later listing tries it
 * again.
 */
final class StaleRowRemoval {
    private final Database database;
    private final Transactions transactions;

    StaleRowRemoval(Instance instance) {
        this.database = instance.database();
        this.transactions = instance.transactions();
    }

    /**
     * What a transaction has listed.
     *
     * @param result what the caller gets
     * @param stale the keys of rows that were left out
     */
    record Listed<T>(T result, List<byte[]> stale) {}

    /** {@return the result of a listing, after the removal of the stale rows} */
    <T> CompletableFuture<T> after(TypeKeys keys, JobIndex index, Listed<T> listed) {
        return listed.stale().isEmpty()
                ? CompletableFuture.completedFuture(listed.result())
                : transactions
                        .named("remove stale rows of", keys.typeName())
                        .run(database, tx -> StaleRows.remove(tx, keys, index, listed.stale()))
                        .handle((done, error) -> listed.result());
    }
}
