package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The turns of the turn keys of a type, and their weights. A key has one turn from its first due job on, until a claim
 * finds that it has none.
 */
public final class TurnTable {
    private static final int DEFAULT_WEIGHT = 1;
    private static final byte[] EMPTY = {};

    private TurnTable() {}

    /** Starts the read that the end of a verb needs to give a key a turn, so that it needs no further round trip. */
    public static void prefetch(Transaction tx, TurnKey key) {
        var unused = tx.snapshot().get(key.inTurn());
    }

    /** Gives a turn to each key that has none and whose first due job this transaction adds. */
    public static CompletableFuture<@Nullable Void> giveTurns(Transaction tx) {
        Set<TurnKey> needed = TransactionScope.takeTurnKeys(tx);
        if (needed.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return JobTransaction.of(tx)
                .inOrder(
                        needed.stream().map(TurnKey::inTurn).toList(),
                        () -> CompletableFuture.allOf(
                                needed.stream().map(key -> giveTurn(tx, key)).toArray(CompletableFuture<?>[]::new)));
    }

    /** A claim that takes the turn away conflicts with this read, and else with the row of the job. */
    private static CompletableFuture<?> giveTurn(Transaction tx, TurnKey key) {
        return tx.get(key.inTurn()).thenAccept(inTurn -> {
            if (inTurn == null) {
                tx.set(key.inTurn(), EMPTY);
                Turn.append(tx, key, 0);
            }
        });
    }

    /** {@return the first turns, read without conflicts} */
    public static CompletableFuture<List<Turn>> first(ReadTransaction tx, TypeKeys keys, int limit) {
        return Quarantine.range(tx, keys, keys.turns(), limit, false, row -> Turn.decode(keys, row));
    }

    /** {@return the first due jobs of a turn key, read without conflicts} */
    public static CompletableFuture<List<QueueEntry>> jobs(ReadTransaction tx, TurnKey key, int limit) {
        TypeKeys keys = key.type();
        Range queue = keys.rankedTurn(key.name());
        return Quarantine.range(tx, keys, queue, limit, false, row -> RankedQueue.decode(keys, row.getKey()));
    }

    /** {@return whether a turn key of a type may have another weight than 1, read without conflicts} */
    public static CompletableFuture<Boolean> mayHaveWeights(ReadTransaction tx, TypeKeys keys) {
        return tx.snapshot().get(keys.weights().pack()).thenApply(value -> value != null);
    }

    /** {@return the weight of a turn key: how many jobs it starts in a turn} */
    public static CompletableFuture<Integer> weight(ReadTransaction tx, TurnKey key) {
        TypeKeys keys = key.type();
        byte[] row = keys.weights().pack(key.name());
        return tx.get(row)
                .thenApply(value -> Quarantine.readable(
                                tx,
                                keys,
                                row,
                                value,
                                bytes -> Math.toIntExact(Tuple.fromBytes(bytes).getLong(0)))
                        .orElse(DEFAULT_WEIGHT));
    }

    /** Sets the weight of a turn key, or removes it. */
    public static void setWeight(Transaction tx, TurnKey key, OptionalInt weight) {
        byte[] row = key.type().weights().pack(key.name());
        if (weight.isPresent()) {
            tx.set(key.type().weights().pack(), EMPTY);
            tx.set(row, Tuple.from(weight.getAsInt()).pack());
        } else {
            tx.clear(row);
        }
    }
}
