package dev.couchjobs.fdb.contract.history;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.contract.Futures;
import dev.couchjobs.fdb.contract.Keyspace;
import dev.couchjobs.fdb.contract.Stamps;
import dev.couchjobs.fdb.contract.history.Attempt.Claim;
import dev.couchjobs.fdb.contract.history.Attempt.Outcome;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One transaction of a workload, which notes every call with its result. It leaves a receipt: a row of its own that
 * holds its versionstamp, and so tells afterwards whether it has committed, whatever its client was told.
 */
final class Session {

    private static final int UNKNOWN_RESULT = 1021;
    private static final Set<Integer> NOT_COMMITTED =
            Set.of(1007, 1009, 1020, 1037, 1038, 1042, 1051, 1078, 1213, 1223);

    private static final String ROWS = "row/";
    private static final String QUEUE = "queue/";
    private static final String RECEIPTS = "receipt/";

    /** An item that is waiting, and where. */
    record Queued(String key, String item) {}

    private final Keyspace keys;
    private final String name;
    private final Runnable pause;
    private final Transaction tr;
    private final List<Step> steps = new ArrayList<>();
    private boolean reads;
    private long readVersion = -1;
    private CompletableFuture<byte[]> stamp = new CompletableFuture<>();

    private Session(Transaction tr, Keyspace keys, String name, Runnable pause) {
        this.tr = tr;
        this.keys = keys;
        this.name = name;
        this.pause = pause;
    }

    /** What a transaction does. */
    interface Body {
        void run(Session session);
    }

    /**
     * Runs a transaction once, and commits it.
     *
     * @param name of the transaction, unique in the history
     * @param clock ticks each time it is asked
     * @param pause called between any two calls
     */
    static Attempt run(
            Database database, Keyspace keys, int thread, String name, LongSupplier clock, Runnable pause, Body body) {
        long invoked = clock.getAsLong();
        try (Transaction tr = database.createTransaction()) {
            Session session = new Session(tr, keys, name, pause);
            Outcome outcome = session.outcome(body);
            long completed = clock.getAsLong();
            boolean stamped = outcome == Outcome.COMMITTED && session.writes();
            Claim claim = new Claim(
                    session.readVersion, stamped ? Versionstamp.complete(Futures.await(session.stamp)) : null);
            return new Attempt(thread, invoked, completed, List.copyOf(session.steps), outcome, claim);
        }
    }

    private Outcome outcome(Body body) {
        try {
            body.run(this);
            if (reads) {
                readVersion = Futures.await(tr.getReadVersion());
            }
            if (writes()) {
                tr.mutate(
                        MutationType.SET_VERSIONSTAMPED_VALUE,
                        keys.key(RECEIPTS + name),
                        Stamps.operand(new byte[0], new byte[0]));
                stamp = tr.getVersionstamp();
            }
            pause.run();
            return outcomeOf(Futures.codeOf(tr.commit()));
        } catch (RuntimeException error) {
            return outcomeOf(Futures.codeOf(error));
        }
    }

    private static Outcome outcomeOf(int code) {
        if (code == 0) {
            return Outcome.COMMITTED;
        }
        if (code == UNKNOWN_RESULT) {
            return Outcome.UNKNOWN;
        }
        if (NOT_COMMITTED.contains(code)) {
            return Outcome.FAILED;
        }
        throw new AssertionError("No workload should meet the error " + code);
    }

    /** The versionstamp that a transaction of this name has left, or null if it has not committed. */
    static @Nullable Versionstamp receipt(Database database, Keyspace keys, String name) {
        byte[] stamp = database.read(tr -> Futures.await(tr.get(keys.key(RECEIPTS + name))));
        return stamp == null ? null : Versionstamp.complete(stamp);
    }

    private boolean writes() {
        return steps.stream().anyMatch(Step::isWrite);
    }

    /** The name of the transaction: a value that nobody else writes. */
    String name() {
        return name;
    }

    @Nullable String get(String key) {
        return noteGet(key, text(fetch(key)));
    }

    long getNumber(String key) {
        byte[] value = fetch(key);
        long number = value == null ? 0 : littleEndian(value).getLong();
        noteGet(key, value == null ? null : Long.toString(number));
        return number;
    }

    private byte @Nullable [] fetch(String key) {
        pause.run();
        byte[] value = Futures.await(tr.get(keys.key(ROWS + key)));
        reads = true;
        return value;
    }

    private @Nullable String noteGet(String key, @Nullable String value) {
        steps.add(new Step.Get(key, value));
        return value;
    }

    /** Rows as {@code key=value}. */
    List<String> scan(String begin, String end, int limit, boolean reverse) {
        pause.run();
        List<String> rows = keys
                .rows(Futures.await(tr.getRange(keys.key(ROWS + begin), keys.key(ROWS + end), limit, reverse)
                        .asList()))
                .stream()
                .map(row -> row.substring(ROWS.length()))
                .toList();
        reads = true;
        steps.add(new Step.Scan(begin, end, limit, reverse, rows));
        return rows;
    }

    /** The oldest items, without a conflict if others take them. */
    List<Queued> peek(int limit) {
        pause.run();
        List<KeyValue> rows = Futures.await(
                tr.snapshot().getRange(Range.startsWith(keys.key(QUEUE)), limit).asList());
        reads = true;
        List<Queued> queued = rows.stream()
                .map(row -> new Queued(keys.name(row.getKey()), Keyspace.text(row.getValue())))
                .toList();
        steps.add(new Step.Peek(limit, queued.stream().map(Queued::item).toList()));
        return queued;
    }

    void put(String key, String value) {
        pause.run();
        tr.set(keys.key(ROWS + key), Keyspace.bytes(value));
        steps.add(new Step.Put(key, value));
    }

    void clear(String begin, String end) {
        pause.run();
        tr.clear(keys.key(ROWS + begin), keys.key(ROWS + end));
        steps.add(new Step.Clear(begin, end));
    }

    void add(String key, long amount) {
        pause.run();
        tr.mutate(
                MutationType.ADD,
                keys.key(ROWS + key),
                littleEndian(new byte[Long.BYTES]).putLong(amount).array());
        steps.add(new Step.Add(key, amount));
    }

    void enqueue(String item) {
        pause.run();
        // The item after the stamp keeps two of one transaction apart.
        tr.mutate(
                MutationType.SET_VERSIONSTAMPED_KEY,
                Stamps.operand(keys.key(QUEUE), Keyspace.bytes(item)),
                Keyspace.bytes(item));
        steps.add(new Step.Enqueue(item));
    }

    /** Removes an item, and conflicts with whoever else does. */
    void take(Queued queued) {
        pause.run();
        tr.addReadConflictKey(keys.key(queued.key));
        tr.clear(keys.key(queued.key));
        steps.add(new Step.Take(queued.item));
    }

    private static @Nullable String text(byte @Nullable [] value) {
        return value == null ? null : Keyspace.text(value);
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
