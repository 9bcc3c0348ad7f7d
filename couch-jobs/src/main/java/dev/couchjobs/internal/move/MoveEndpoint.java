package dev.couchjobs.internal.move;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Layout;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.transactions.TransactionLabel;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.GuardedExecutor;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** The rows of an instance in one of the two databases: all of them but the one that says how they are laid out. */
public final class MoveEndpoint {
    /** Long enough for a cluster that recovers; a page that takes longer is too large. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Database database;
    private final Range all;
    private final byte[] layoutKey;
    private final LayoutRow layout;
    private final Transactions transactions;

    public MoveEndpoint(Database database, Keyspace keyspace, Environment environment) {
        this.database = database;
        this.transactions = new Transactions(
                        environment, keyspace, TIMEOUT, TransactionLabel.tagged("couch-jobs-move", false))
                .outOfService();
        this.all = keyspace.all();
        this.layoutKey = keyspace.row("layout");
        this.layout = new LayoutRow(keyspace);
    }

    Executor executor() {
        return GuardedExecutor.of(database);
    }

    byte[] begin() {
        return all.begin;
    }

    /** What is said of the rows, and whether there are any. */
    record Found(Layout layout, boolean empty) {}

    CompletableFuture<Found> look() {
        return read(this::look);
    }

    private CompletableFuture<Found> look(ReadTransaction tx) {
        return layout.read(tx)
                .thenCombine(tx.getRange(all, 1).asList(), (found, first) -> new Found(found, first.isEmpty()));
    }

    /** Says something else of the rows, in view of what is said of them; harmless if it happens twice. */
    CompletableFuture<Layout> edit(Function<Found, Layout> change) {
        return write(tx -> look(tx).thenApply(found -> {
            Layout next = change.apply(found);
            if (!next.equals(found.layout())) {
                layout.write(tx, next);
            }
            return next;
        }));
    }

    /** Clears all there is in view of what is said of it. */
    CompletableFuture<Layout> clear(Function<Found, Layout> check) {
        return write(tx -> look(tx).thenApply(found -> {
            Layout checked = check.apply(found);
            tx.clear(all);
            return checked;
        }));
    }

    CompletableFuture<Long> version() {
        return read(ReadTransaction::getReadVersion);
    }

    /** The rows from a key on, as many as asked for. */
    CompletableFuture<RowPage> page(byte[] from, int limit) {
        return read(tx -> page(tx, from, all.end, limit));
    }

    /** Makes a stretch of rows here what it is there, or as much of it as can be looked at together. */
    CompletableFuture<RowDiff> become(RowPage there, String move, String run) {
        return write(tx -> layout.read(tx)
                .thenCombine(
                        page(
                                tx,
                                there.from(),
                                there.to(),
                                2 * Math.max(1, there.rows().size())),
                        (said, here) -> {
                            MoveMarks.requireRun(said, move, run);
                            RowDiff rowDiff = RowDiff.between(there.upTo(here.to()), here);
                            rowDiff.apply(tx);
                            return rowDiff;
                        }));
    }

    boolean isEnd(byte[] key) {
        return Arrays.equals(key, all.end);
    }

    private CompletableFuture<RowPage> page(ReadTransaction tx, byte[] from, byte[] to, int limit) {
        return tx.snapshot()
                .getRange(from, to, limit, false, StreamingMode.WANT_ALL)
                .asList()
                .thenApply(rows ->
                        new RowPage(new Range(from, rows.size() < limit ? to : after(rows)), withoutLayout(rows)));
    }

    private static byte[] after(List<KeyValue> rows) {
        return ByteArrayUtil.keyAfter(rows.get(rows.size() - 1).getKey());
    }

    private List<KeyValue> withoutLayout(List<KeyValue> rows) {
        return rows.stream()
                .filter(row -> !Arrays.equals(row.getKey(), layoutKey))
                .toList();
    }

    private <T> CompletableFuture<T> read(Function<ReadTransaction, CompletableFuture<T>> body) {
        return transactions.read(database, body);
    }

    private <T> CompletableFuture<T> write(Function<Transaction, CompletableFuture<T>> body) {
        return transactions.run(database, body);
    }
}
