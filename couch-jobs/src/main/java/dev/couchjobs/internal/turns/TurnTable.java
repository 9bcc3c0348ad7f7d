package dev.couchjobs.internal.turns;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.queue.QueueEntry;
import dev.couchjobs.internal.queue.QueueKeys;
import dev.couchjobs.internal.queue.RankedQueue;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.RequestRows;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The turns of the turn keys of a type, and their weights. A key has one turn from the claim that finds the request of
 * its first due job, until a claim finds that it has no job left.
 */
public final class TurnTable {
    /** The largest weight. */
    public static final int WEIGHT_MAX = 1_000;

    private static final int DEFAULT_WEIGHT = 1;
    private static final byte[] EMPTY = {};

    private TurnTable() {}

    /**
     * {@return requests by turn key, read without conflicts; behind the last key they begin again at the first}
     *
     * @param after the turn key behind which to begin, or null
     */
    static CompletableFuture<List<TurnRequest>> requests(
            ReadTransaction tx, TypeKeys keys, @Nullable String after, int limit) {
        Subspace rows = TurnKeys.of(keys).turnRequests();
        return RequestRows.list(
                tx,
                keys,
                rows,
                after == null ? null : rows.pack(after),
                limit,
                row -> new TurnRequest(
                        new TurnKey(keys, rows.unpack(row.getKey()).getString(0)), row.getValue()));
    }

    /**
     * {@return the first turns, read without conflicts}
     *
     * @param after the turn behind which to begin, or null
     */
    static CompletableFuture<List<Turn>> first(ReadTransaction tx, TypeKeys keys, @Nullable Turn after, int limit) {
        Range all = TurnKeys.of(keys).turns();
        byte[] begin = after == null ? all.begin : ByteArrayUtil.keyAfter(after.row());
        return Quarantine.range(tx, keys, new Range(begin, all.end), limit, false, row -> Turn.decode(keys, row));
    }

    /** {@return the first due jobs of a turn key, read without conflicts} */
    static CompletableFuture<List<QueueEntry>> jobs(ReadTransaction tx, TurnKey key, int limit) {
        TypeKeys keys = key.type();
        Range queue = QueueKeys.of(keys).rankedTurn(key.name());
        return Quarantine.range(tx, keys, queue, limit, false, row -> RankedQueue.decode(keys, row.getKey()));
    }

    /** {@return whether a turn key of a type may have another weight than 1, read without conflicts} */
    static CompletableFuture<Boolean> mayHaveWeights(ReadTransaction tx, TypeKeys keys) {
        return tx.snapshot().get(TurnKeys.of(keys).weights().pack()).thenApply(value -> value != null);
    }

    /** {@return the weight of a turn key: how many jobs it starts in a turn} */
    public static CompletableFuture<Integer> weight(ReadTransaction tx, TurnKey key) {
        TypeKeys keys = key.type();
        byte[] row = TurnKeys.of(keys).weights().pack(key.name());
        return tx.get(row)
                .thenApply(value -> Quarantine.readable(
                                tx,
                                keys,
                                row,
                                value,
                                bytes -> Math.toIntExact(Tuple.fromBytes(bytes).getLong(0)))
                        .filter(weight -> weight >= DEFAULT_WEIGHT && weight <= WEIGHT_MAX)
                        .orElse(DEFAULT_WEIGHT));
    }

    /** Sets the weight of a turn key, or removes it. */
    public static void setWeight(Transaction tx, TurnKey key, OptionalInt weight) {
        byte[] row = TurnKeys.of(key.type()).weights().pack(key.name());
        if (weight.isPresent()) {
            tx.set(TurnKeys.of(key.type()).weights().pack(), EMPTY);
            tx.set(row, Tuple.from(weight.getAsInt()).pack());
        } else {
            tx.clear(row);
        }
    }
}
