package dev.couchjobs.topics.internal.changes;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.ChangePage;
import dev.couchjobs.JobChanges;
import dev.couchjobs.JobType;
import dev.couchjobs.topics.internal.log.Log;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Copies changes of a type to a log. The cursor moves in the transaction that appends: no two transactions append the
 * same change.
 */
record PublishedChanges(
        JobChanges changes, JobType<?, ?> type, BiFunction<Transaction, ChangePage, CompletableFuture<?>> append) {
    private static final int CHANGES_AT_ONCE = 500;

    /**
     * What a transaction has found.
     *
     * @param cursor up to where changes were published before; null if none were
     */
    record Published(ChangePage page, @Nullable Versionstamp cursor, boolean hasAppended) {}

    /** Appends the next changes. */
    CompletableFuture<Published> next(Transaction tx, Log log) {
        byte[] key = log.keys().part("feed").pack(type.name());
        return tx.get(key).thenCompose(value -> {
            Versionstamp cursor = value == null ? null : Tuple.fromBytes(value).getVersionstamp(0);
            return changes.read(tx, type, cursor == null ? JobChanges.OLDEST : cursor, CHANGES_AT_ONCE)
                    .thenCompose(page -> publish(tx, key, cursor, page));
        });
    }

    private CompletableFuture<Published> publish(
            Transaction tx, byte[] key, @Nullable Versionstamp cursor, ChangePage page) {
        boolean hasChanges = !page.changes().isEmpty() || page.isTrimmed();
        if (!hasChanges) {
            return CompletableFuture.completedFuture(new Published(page, cursor, false));
        }
        tx.set(key, Tuple.from(page.next()).pack());
        return append.apply(tx, page).thenApply(done -> new Published(page, cursor, true));
    }
}
