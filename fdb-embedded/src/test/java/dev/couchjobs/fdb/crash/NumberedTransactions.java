package dev.couchjobs.fdb.crash;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Transactions that can be told from half a transaction: each writer numbers its own, and each writes rows that say how
 * many they are, moves the writer's head, counts itself, and clears rows of an earlier one.
 */
final class NumberedTransactions {
    private static final Subspace ROWS = new Subspace(Tuple.from("rows"));
    private static final Subspace HEADS = new Subspace(Tuple.from("heads"));
    private static final byte[] COUNT = Tuple.from("count").pack();
    private static final byte[] ONE = ByteArrayUtil.encodeInt(1);
    /** A transaction keeps its rows until so many later ones of the same writer. */
    private static final int KEPT = 50;

    private NumberedTransactions() {}

    /** {@return how many this writer has done} */
    static long head(Database database, int writer) {
        return database.run(tr -> head(tr, writer));
    }

    private static long head(Transaction tr, int writer) {
        byte[] head = tr.get(HEADS.pack(writer)).join();
        return head == null ? 0 : ByteArrayUtil.decodeInt(head);
    }

    /** Does the writer's next one. */
    static void write(Transaction tr, int writer, long number, Random random) {
        int rows = 1 + random.nextInt(6);
        byte[] filler = new byte[random.nextInt(10) == 0 ? 20_000 : random.nextInt(200)];
        Arrays.fill(filler, (byte) number);
        for (int row = 0; row < rows; row++) {
            tr.set(
                    ROWS.pack(Tuple.from(writer, number, row)),
                    Tuple.from(rows, filler).pack());
        }
        tr.clear(ROWS.range(Tuple.from(writer, number - KEPT)));
        tr.set(HEADS.pack(writer), ByteArrayUtil.encodeInt(number));
        tr.mutate(MutationType.ADD, COUNT, ONE);
    }

    /** {@return the number of the last transaction of each writer}; fails if any is there in part. */
    static SortedMap<Integer, Long> check(Database database) {
        SortedMap<Integer, Long> heads = new TreeMap<>();
        for (KeyValue head : rows(database, HEADS)) {
            heads.put((int) HEADS.unpack(head.getKey()).getLong(0), ByteArrayUtil.decodeInt(head.getValue()));
        }
        heads.forEach((writer, head) -> checkRows(database, writer, head));
        byte[] count = database.run(tr -> tr.get(COUNT).join());
        long counted = count == null ? 0 : ByteArrayUtil.decodeInt(count);
        long numbered = heads.values().stream().mapToLong(Long::longValue).sum();
        if (counted != numbered) {
            throw new AssertionError(
                    counted + " transactions have counted themselves, the writers' heads say " + heads);
        }
        return heads;
    }

    private static void checkRows(Database database, int writer, long head) {
        SortedMap<Long, List<Tuple>> found = new TreeMap<>();
        for (KeyValue row : rows(database, ROWS.get(writer))) {
            long number = ROWS.unpack(row.getKey()).getLong(1);
            Tuple value = Tuple.fromBytes(row.getValue());
            checkFiller(value.getBytes(1), number);
            found.computeIfAbsent(number, first -> new ArrayList<>()).add(value);
        }
        long first = Math.max(1, head - KEPT + 1);
        if (found.size() != head - first + 1 || found.firstKey() != first || found.lastKey() != head) {
            throw new AssertionError(
                    "Writer " + writer + " should have " + first + " to " + head + ", but has " + found.keySet());
        }
        found.forEach((number, rows) -> {
            if (rows.size() != rows.get(0).getLong(0)) {
                throw new AssertionError("Number " + number + " of writer " + writer + " is there in part: " + rows);
            }
        });
    }

    private static void checkFiller(byte[] filler, long number) {
        for (byte each : filler) {
            if (each != (byte) number) {
                throw new AssertionError("Number " + number + " holds what was written by another");
            }
        }
    }

    private static List<KeyValue> rows(Database database, Subspace subspace) {
        return database.run(tr -> tr.getRange(subspace.range()).asList().join());
    }
}
