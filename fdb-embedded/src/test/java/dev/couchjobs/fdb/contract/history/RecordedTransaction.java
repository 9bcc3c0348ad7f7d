package dev.couchjobs.fdb.contract.history;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.contract.EngineFutures;
import dev.couchjobs.fdb.contract.PrefixKeys;
import dev.couchjobs.fdb.contract.VersionstampOperands;
import dev.couchjobs.fdb.contract.history.ObservedTransaction.Claim;
import dev.couchjobs.fdb.contract.history.ObservedTransaction.Outcome;
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
final class RecordedTransaction {

    private static final int UNKNOWN_RESULT = 1021;
    private static final Set<Integer> NOT_COMMITTED =
            Set.of(1007, 1009, 1020, 1037, 1038, 1042, 1051, 1078, 1213, 1223);

    private static final String ROWS = "row/";
    private static final String QUEUE = "queue/";
    private static final String RECEIPTS = "receipt/";

    /** An item that is waiting, and where. */
    record Queued(String key, String item) {}

    private final PrefixKeys keys;
    private final String name;
    private final Runnable pause;
    private final Transaction tr;
    private final List<RecordedCall> calls = new ArrayList<>();
    private boolean reads;
    private long readVersion = -1;
    private CompletableFuture<byte[]> stamp = new CompletableFuture<>();

    private RecordedTransaction(Transaction tr, PrefixKeys keys, String name, Runnable pause) {
        this.tr = tr;
        this.keys = keys;
        this.name = name;
        this.pause = pause;
    }

    /** What a transaction does. */
    interface Body {
        void run(RecordedTransaction transaction);
    }

    /**
     * Runs a transaction once, and commits it.
     *
     * @param name of the transaction, unique in the history
     * @param clock ticks each time it is asked
     * @param pause called between any two calls
     */
    static ObservedTransaction run(
            Database database,
            PrefixKeys keys,
            int thread,
            String name,
            LongSupplier clock,
            Runnable pause,
            Body body) {
        long invoked = clock.getAsLong();
        try (Transaction tr = database.createTransaction()) {
            RecordedTransaction transaction = new RecordedTransaction(tr, keys, name, pause);
            Outcome outcome = transaction.outcome(body);
            long completed = clock.getAsLong();
            boolean stamped = outcome == Outcome.COMMITTED && transaction.writes();
            Claim claim = new Claim(
                    transaction.readVersion,
                    stamped ? Versionstamp.complete(EngineFutures.await(transaction.stamp)) : null);
            return new ObservedTransaction(thread, invoked, completed, List.copyOf(transaction.calls), outcome, claim);
        }
    }

    private Outcome outcome(Body body) {
        try {
            body.run(this);
            if (reads) {
                readVersion = EngineFutures.await(tr.getReadVersion());
            }
            if (writes()) {
                tr.mutate(
                        MutationType.SET_VERSIONSTAMPED_VALUE,
                        keys.key(RECEIPTS + name),
                        VersionstampOperands.operand(new byte[0], new byte[0]));
                stamp = tr.getVersionstamp();
            }
            pause.run();
            return outcomeOf(EngineFutures.codeOf(tr.commit()));
        } catch (RuntimeException error) {
            return outcomeOf(EngineFutures.codeOf(error));
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
    static @Nullable Versionstamp receipt(Database database, PrefixKeys keys, String name) {
        byte[] stamp = database.read(tr -> EngineFutures.await(tr.get(keys.key(RECEIPTS + name))));
        return stamp == null ? null : Versionstamp.complete(stamp);
    }

    private boolean writes() {
        return calls.stream().anyMatch(RecordedCall::isWrite);
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
        byte[] value = EngineFutures.await(tr.get(keys.key(ROWS + key)));
        reads = true;
        return value;
    }

    private @Nullable String noteGet(String key, @Nullable String value) {
        calls.add(new RecordedCall.Get(key, value));
        return value;
    }

    /** Rows as {@code key=value}. */
    List<String> scan(String begin, String end, int limit, boolean reverse) {
        pause.run();
        List<String> rows = keys
                .rows(EngineFutures.await(tr.getRange(keys.key(ROWS + begin), keys.key(ROWS + end), limit, reverse)
                        .asList()))
                .stream()
                .map(row -> row.substring(ROWS.length()))
                .toList();
        reads = true;
        calls.add(new RecordedCall.Scan(begin, end, limit, reverse, rows));
        return rows;
    }

    /** The oldest items, without a conflict if others take them. */
    List<Queued> peek(int limit) {
        pause.run();
        List<KeyValue> rows = EngineFutures.await(
                tr.snapshot().getRange(Range.startsWith(keys.key(QUEUE)), limit).asList());
        reads = true;
        List<Queued> queued = rows.stream()
                .map(row -> new Queued(keys.name(row.getKey()), PrefixKeys.text(row.getValue())))
                .toList();
        calls.add(new RecordedCall.Peek(limit, queued.stream().map(Queued::item).toList()));
        return queued;
    }

    void put(String key, String value) {
        pause.run();
        tr.set(keys.key(ROWS + key), PrefixKeys.bytes(value));
        calls.add(new RecordedCall.Put(key, value));
    }

    void clear(String begin, String end) {
        pause.run();
        tr.clear(keys.key(ROWS + begin), keys.key(ROWS + end));
        calls.add(new RecordedCall.Clear(begin, end));
    }

    void add(String key, long amount) {
        pause.run();
        tr.mutate(
                MutationType.ADD,
                keys.key(ROWS + key),
                littleEndian(new byte[Long.BYTES]).putLong(amount).array());
        calls.add(new RecordedCall.Add(key, amount));
    }

    void enqueue(String item) {
        pause.run();
        // The item after the stamp keeps two of one transaction apart.
        tr.mutate(
                MutationType.SET_VERSIONSTAMPED_KEY,
                VersionstampOperands.operand(keys.key(QUEUE), PrefixKeys.bytes(item)),
                PrefixKeys.bytes(item));
        calls.add(new RecordedCall.Enqueue(item));
    }

    /** Removes an item, and conflicts with whoever else does. */
    void take(Queued queued) {
        pause.run();
        tr.addReadConflictKey(keys.key(queued.key));
        tr.clear(keys.key(queued.key));
        calls.add(new RecordedCall.Take(queued.item));
    }

    private static @Nullable String text(byte @Nullable [] value) {
        return value == null ? null : PrefixKeys.text(value);
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
