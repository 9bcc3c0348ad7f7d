package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.couchjobs.UndecodableRowException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place where stored bytes become values, and where a row goes that cannot be decoded: out of the way of all
 * others, with the key and the bytes that it had.
 *
 * <p>A row is moved by a transaction that the library may write in, which conflicts with any writer of that row. Where
 * the transaction only reads, the row is passed over. Either way it is logged once in each process.
 *
 * <p>The row's key and the reason are under one key, its bytes under another, because a value may be as large as
 * FoundationDB allows.
 */
public final class Quarantine {
    private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);
    private static final int REASON_CHARS_MAX = 300;
    private static final int LOGGED_MAX = 10_000;

    private static final Cache<String, Boolean> LOGGED = Caffeine.newBuilder()
            .maximumSize(LOGGED_MAX)
            .executor(Runnable::run)
            .build();

    private Quarantine() {}

    /**
     * A row in quarantine.
     *
     * @param id the commit that moved it, and its number there
     * @param row the key that it had, as text
     * @param reason why it could not be decoded
     */
    public record Entry(Versionstamp id, String row, String reason) {}

    /** From now on rows that cannot be decoded are moved by this transaction. */
    public static void allow(Transaction tx) {
        TransactionScope.of(tx).allowQuarantine();
    }

    /**
     * Decodes a row.
     *
     * @throws UndecodableRowException if that fails, of whatever
     */
    static <T> T decode(TypeKeys keys, KeyValue row, Function<KeyValue, T> decoder) {
        try {
            return decoder.apply(row);
        } catch (RuntimeException e) { // tuples of damaged bytes fail in many ways
            throw new UndecodableRowException(text(keys.relative(row.getKey())), reason(e), e);
        }
    }

    /** {@return what the row says; nothing if it cannot be decoded, and then it is out of the way} */
    public static <T> Optional<T> readable(
            ReadTransaction tx, TypeKeys keys, KeyValue row, Function<KeyValue, T> decoder) {
        try {
            return Optional.of(decode(keys, row, decoder));
        } catch (UndecodableRowException e) {
            passOver(tx, keys, row, e);
            return Optional.empty();
        }
    }

    /** The same for the row under one key. */
    public static <T> Optional<T> readable(
            ReadTransaction tx, TypeKeys keys, byte[] key, byte @Nullable [] value, Function<byte[], T> decoder) {
        return value == null
                ? Optional.empty()
                : readable(tx, keys, new KeyValue(key, value), row -> decoder.apply(row.getValue()));
    }

    /** {@return what some rows say, without those that cannot be decoded, which are then out of the way} */
    public static <T> List<T> readable(
            ReadTransaction tx, TypeKeys keys, List<KeyValue> rows, Function<KeyValue, T> decoder) {
        List<T> all = new ArrayList<>(rows.size());
        rows.forEach(row -> readable(tx, keys, row, decoder).ifPresent(all::add));
        return all;
    }

    /**
     * {@return the type whose row it is} A row without the name of a type belongs to no quarantine: it is passed over.
     */
    public static Optional<String> typeName(byte[] key, Function<byte[], String> name) {
        try {
            return Optional.of(name.apply(key));
        } catch (RuntimeException e) {
            logOnce(key, new UndecodableRowException(ByteArrayUtil.printable(key), "it is under no type's name", e));
            return Optional.empty();
        }
    }

    /**
     * What the first or last rows of a range say, read without conflicts; behind a row that cannot be decoded it goes
     * on. So fewer than asked for are all there are.
     */
    public static <T> CompletableFuture<List<T>> range(
            ReadTransaction tx, TypeKeys keys, Range range, int limit, boolean reverse, Function<KeyValue, T> decoder) {
        return range(tx, tx.snapshot(), keys, range, limit, reverse, decoder);
    }

    /**
     * The same, read by a view of the transaction.
     *
     * @param view the transaction itself, to conflict with writes in that range, or its snapshot
     */
    public static <T> CompletableFuture<List<T>> range(
            ReadTransaction tx,
            ReadTransaction view,
            TypeKeys keys,
            Range range,
            int limit,
            boolean reverse,
            Function<KeyValue, T> decoder) {
        return range(view, range, limit, reverse, row -> readable(tx, keys, row, decoder));
    }

    /**
     * The same for rows of several types.
     *
     * @param reader says nothing of a row that it has passed over
     */
    public static <T> CompletableFuture<List<T>> range(
            ReadTransaction view, Range range, int limit, boolean reverse, Function<KeyValue, Optional<T>> reader) {
        return view.getRange(range, limit, reverse).asList().thenCompose(rows -> {
            List<T> all =
                    rows.stream().flatMap(row -> reader.apply(row).stream()).toList();
            if (all.size() == rows.size() || rows.size() < limit) {
                return CompletableFuture.completedFuture(all);
            }
            byte[] last = rows.get(rows.size() - 1).getKey();
            Range rest = reverse ? new Range(range.begin, last) : new Range(ByteArrayUtil.keyAfter(last), range.end);
            return range(view, rest, limit - all.size(), reverse, reader)
                    .thenApply(
                            more -> Stream.concat(all.stream(), more.stream()).toList());
        });
    }

    private static void passOver(ReadTransaction tx, TypeKeys keys, KeyValue row, UndecodableRowException error) {
        if (tx instanceof Transaction writable && TransactionScope.allowsQuarantine(tx)) {
            move(writable, keys, row, reason(error.getCause() == null ? error : error.getCause()));
        }
        logOnce(row.getKey(), error);
    }

    /** Logs a row that was skipped, unless this process has logged it. */
    static void logOnce(byte[] key, RuntimeException error) {
        if (LOGGED.asMap().putIfAbsent(ByteArrayUtil.printable(key), true) == null) {
            LOG.warn("Passed over a row. {}", error.getMessage());
            LOG.debug("What decoding the row failed of", error);
        }
    }

    private static void move(Transaction tx, TypeKeys keys, KeyValue row, String reason) {
        byte[] key = row.getKey();
        int userVersion = TransactionScope.of(tx).userVersion(List.of(key));
        Tuple entry = Tuple.from(keys.relative(key), reason);
        IncompleteVersionstamps.setStampedKey(tx, keys.quarantine().pack(), userVersion, entry.pack());
        IncompleteVersionstamps.setStampedKey(tx, keys.quarantined().pack(), userVersion, row.getValue());
        tx.addReadConflictKey(key);
        tx.clear(key);
    }

    private static String reason(Throwable error) {
        String text = error.getClass().getSimpleName() + (error.getMessage() == null ? "" : ": " + error.getMessage());
        return ByteArrayUtil.printable(
                text.substring(0, Math.min(text.length(), REASON_CHARS_MAX)).getBytes(StandardCharsets.UTF_8));
    }

    /** {@return the key of a row as text: its path if it is one} */
    private static String text(byte[] relativeKey) {
        try {
            return Tuple.fromBytes(relativeKey).toString();
        } catch (RuntimeException e) { // it is this key that cannot be decoded
            return ByteArrayUtil.printable(relativeKey);
        }
    }

    /** {@return the rows in quarantine behind one, in the order in which they came} */
    public static CompletableFuture<List<Entry>> list(
            ReadTransaction tx, TypeKeys keys, Optional<Versionstamp> after, int limit) {
        Range all = keys.quarantine().range();
        byte[] begin = after.map(id -> ByteArrayUtil.keyAfter(keys.quarantine().pack(id)))
                .orElse(all.begin);
        return tx.snapshot()
                .getRange(new Range(begin, all.end), limit)
                .asList()
                .thenApply(rows -> rows.stream().map(row -> entry(keys, row)).toList());
    }

    private static Entry entry(TypeKeys keys, KeyValue row) {
        Tuple entry = Tuple.fromBytes(row.getValue());
        return new Entry(
                keys.quarantine().unpack(row.getKey()).getVersionstamp(0), text(entry.getBytes(0)), entry.getString(1));
    }

    /** {@return the row as it was, if it is in quarantine} */
    public static CompletableFuture<Optional<KeyValue>> peek(Transaction tx, TypeKeys keys, Versionstamp id) {
        return tx.get(keys.quarantine().pack(id))
                .thenCombine(
                        tx.get(keys.quarantined().pack(id)),
                        (entry, bytes) -> entry == null || bytes == null
                                ? Optional.empty()
                                : Optional.of(new KeyValue(
                                        keys.absolute(Tuple.fromBytes(entry).getBytes(0)), bytes)));
    }

    /** Takes a row out of quarantine. */
    public static void clear(Transaction tx, TypeKeys keys, Versionstamp id) {
        tx.clear(keys.quarantine().pack(id));
        tx.clear(keys.quarantined().pack(id));
    }
}
