package dev.couchjobs.internal.turns;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.queue.QueueIndex;
import dev.couchjobs.internal.rows.RequestRows;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;

/**
 * The {@linkplain RequestRows request} of an addition that a turn key gets a turn if it has none.
 */
public final class TurnRequest {
    /** The order in which new keys get their turns. */
    public static final Comparator<TurnRequest> OLDEST_FIRST =
            Comparator.comparing(request -> request.value, ByteArrayUtil::compareUnsigned);

    private static final byte[] EMPTY = {};

    private final TurnKey key;
    private final byte[] value;

    TurnRequest(TurnKey key, byte[] value) {
        this.key = key;
        this.value = value;
    }

    /** Requests turns for the keys of jobs that have become due. */
    public static void write(Changes changes) {
        for (SavedChange change : changes.all()) {
            JobRow after = change.after();
            if (after != null && after.options().turnKey() != null && QueueIndex.isNew(change)) {
                write(changes.tx(), new TurnKey(changes.keys(), after.options().turnKey()));
            }
        }
    }

    /** Requests a turn for a key, because a job of it has become due. */
    public static void write(Transaction tx, TurnKey key) {
        RequestRows.write(tx, key.request());
    }

    /** {@return the turn key} */
    public TurnKey key() {
        return key;
    }

    /** {@return whether the key has a turn; conflicts with other claims that give it one, or end it} */
    CompletableFuture<Boolean> isInTurn(Transaction tx) {
        return tx.get(key.inTurn()).thenApply(value -> value != null);
    }

    /** Clears the request for a key that has a turn. A claim that ends the turn meanwhile conflicts. */
    void confirm(Transaction tx) {
        tx.set(key.inTurn(), EMPTY);
        clear(tx);
    }

    /** Gives the key a turn behind all others. */
    void grant(Transaction tx, long started) {
        tx.set(key.inTurn(), EMPTY);
        Turn.append(tx, key, started);
        clear(tx);
    }

    /** Clears the request for a key without jobs. */
    public void clear(Transaction tx) {
        RequestRows.clear(tx, key.request(), value);
    }
}
