package dev.couchjobs.internal.turns;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.RowKey;
import dev.couchjobs.internal.rows.TransactionScope;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;

/**
 * A turn of a turn key: its place in the order in which the keys of a type start jobs. Each of the methods that change
 * it conflicts with the others, so of several transactions that read a turn one changes it.
 */
public final class Turn {
    private static final byte[] EMPTY = {};
    private static final long NONE_STARTED = 0;

    private final TurnKey key;
    private final byte[] row;
    private final long started;

    private Turn(TurnKey key, byte[] row, long started) {
        this.key = key;
        this.row = row;
        this.started = started;
    }

    /** A turn with a damaged value is a turn from its beginning: no key may lose its turn. */
    static Turn decode(TypeKeys keys, KeyValue stored) {
        TurnKey key =
                new TurnKey(keys, TurnKeys.of(keys).unpackTurn(stored.getKey()).getString(1));
        return new Turn(key, stored.getKey(), started(stored.getValue()));
    }

    private static long started(byte[] value) {
        try {
            return value.length == 0
                    ? NONE_STARTED
                    : Math.max(NONE_STARTED, Tuple.fromBytes(value).getLong(0));
        } catch (RuntimeException e) {
            return NONE_STARTED;
        }
    }

    /** {@return the key of the row} */
    byte[] row() {
        return row.clone();
    }

    /** {@return the turn key} */
    TurnKey key() {
        return key;
    }

    /** {@return how many jobs the key has started in this turn} */
    long started() {
        return started;
    }

    /** Puts a turn behind all others. The turns of one transaction are in the order of the calls. */
    static void append(Transaction tx, TurnKey key, long started) {
        byte[] prefix = TurnKeys.of(key.type()).turnsPrefix();
        int userVersion = TransactionScope.of(tx).userVersion(List.of(new RowKey(key.inTurn())));
        IncompleteVersionstamps.setStampedKey(tx, prefix, userVersion, key.name(), value(started));
    }

    private static byte[] value(long started) {
        return started == NONE_STARTED ? EMPTY : Tuple.from(started).pack();
    }

    /** Keeps the place, for the rest of the jobs that the weight of the key allows. */
    void keep(Transaction tx, long nowStarted) {
        tx.addReadConflictKey(row);
        tx.set(row, value(nowStarted));
    }

    /** Moves behind all others. */
    void moveToEnd(Transaction tx, long nowStarted) {
        tx.addReadConflictKey(row);
        tx.clear(row);
        append(tx, key, nowStarted);
    }

    /**
     * Ends, as the claim has found no job of the key. An addition meanwhile has left a request, and a claim that has
     * cleared the request conflicts.
     */
    public void end(Transaction tx) {
        tx.addReadConflictKey(row);
        tx.addReadConflictKey(key.inTurn());
        tx.clear(row);
        tx.clear(key.inTurn());
    }
}
