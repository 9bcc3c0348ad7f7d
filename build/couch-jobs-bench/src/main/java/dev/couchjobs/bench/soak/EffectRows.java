package dev.couchjobs.bench.soak;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * A row for each number, which counts the committed effects of its jobs. Numbers below the frontier have had theirs,
 * and their rows are cleared. A row that is there again, or counts more than one, is a doubled effect.
 */
final class EffectRows {
    private static final int PAGE = 1_000;
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final byte[] ONE = bytes(1);
    private static final byte[] NOTHING_MORE = {0};

    private final Database database;
    private final Subspace rows;
    private final byte[] state;

    /**
     * What has been checked.
     *
     * @param frontier all smaller numbers have had an effect
     * @param doubled the number of effects beyond the first
     */
    record Checked(long frontier, long doubled) {}

    EffectRows(Database database, Subspace prefix) {
        this.database = database;
        rows = prefix.subspace(Tuple.from("effects"));
        state = prefix.pack(Tuple.from("checked"));
    }

    /** Counts an effect. */
    void add(Transaction tx, long number) {
        tx.mutate(MutationType.ADD, rows.pack(number), ONE);
    }

    /** Checks the effects that were committed since the last check. */
    Checked check() {
        Checked before;
        Checked now = database.run(this::step);
        do {
            before = now;
            now = database.run(this::step);
        } while (now.frontier > before.frontier);
        return now;
    }

    /** {@return how many numbers from the frontier up to a bound have had no effect} */
    long missing(long bound) {
        return database.read(tx -> {
            List<KeyValue> present =
                    tx.getRange(rows.range().begin, rows.pack(bound)).asList().join();
            return bound - checked(tx.get(state).join()).frontier - present.size();
        });
    }

    /** Whether its commit is known or not, the next step begins where this one has ended. */
    private Checked step(Transaction tx) {
        tx.options().setTimeout(TIMEOUT_MILLIS);
        Checked before = checked(tx.get(state).join());
        long frontier = before.frontier;
        long doubled = before.doubled;
        byte[] begin = rows.range().begin;
        byte[] end = begin;
        for (KeyValue row : tx.getRange(begin, rows.range().end, PAGE).asList().join()) {
            long number = rows.unpack(row.getKey()).getLong(0);
            if (number > frontier) {
                break;
            }
            doubled += number(row.getValue()) - (number == frontier ? 1 : 0);
            frontier += number == frontier ? 1 : 0;
            end = ByteArrayUtil.join(row.getKey(), NOTHING_MORE);
        }
        if (end != begin) {
            tx.clear(begin, end);
            tx.set(state, Tuple.from(frontier, doubled).pack());
        }
        return new Checked(frontier, doubled);
    }

    @SuppressWarnings("NullAway") // what a row that is not there has
    private static Checked checked(byte[] value) {
        if (value == null) {
            return new Checked(0, 0);
        }
        Tuple stored = Tuple.fromBytes(value);
        return new Checked(stored.getLong(0), stored.getLong(1));
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(number)
                .array();
    }

    private static long number(byte[] value) {
        return ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }
}
