package dev.couchjobs.internal.rows;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.internal.loop.RootCauses;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes stored rows, and moves undecodable rows into quarantine, with their keys and bytes.
 *
 * <p>A transaction in which the library may write moves the row, and conflicts with writers of the row. A transaction
 * that only reads skips the row. Either way each process logs the row once.
 *
 * <p>The row's key and the reason are stored under one key and the row's bytes under another, because a value may be as
 * large as FoundationDB allows.
 */
public final class Quarantine {
    private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);
    private static final int REASON_CHARS_MAX = 300;
    private static final int LOGGED_MAX = 10_000;
    private static final byte[] EMPTY = {};

    private static final Cache<String, Boolean> LOGGED = Caffeine.newBuilder()
            .maximumSize(LOGGED_MAX)
            .executor(Runnable::run)
            .build();

    private Quarantine() {}

    /**
     * A row in quarantine.
     *
     * @param id the versionstamp of the move
     * @param row the original key, as text
     * @param reason why the row could not be decoded
     */
    public record Entry(Versionstamp id, String row, String reason) {}

    /** Permits this transaction to move undecodable rows. */
    public static void allow(Transaction tx) {
        TransactionScope.of(tx).allowQuarantine();
    }

    /**
     * Decodes a row.
     *
     * @throws UndecodableRowException if the decoder fails with any exception
     */
    public static <T> T decode(TypeKeys keys, KeyValue row, Function<KeyValue, T> decoder) {
        try {
            return decoder.apply(row);
        } catch (RuntimeException e) { // tuples of damaged bytes fail in many ways
            throw new UndecodableRowException(text(keys.relative(row.getKey())), reason(e), e);
        }
    }

    /** {@return the decoded row; empty if it is undecodable, after skipping or moving it} */
    public static <T> Optional<T> readable(
            ReadTransaction tx, TypeKeys keys, KeyValue row, Function<KeyValue, T> decoder) {
        try {
            return Optional.of(decode(keys, row, decoder));
        } catch (UndecodableRowException e) {
            skip(tx, keys, row, e);
            return Optional.empty();
        }
    }

    /** {@return the decoded row under a key; empty if there is none or it is undecodable} */
    public static <T> Optional<T> readable(
            ReadTransaction tx, TypeKeys keys, byte[] key, byte @Nullable [] value, Function<byte[], T> decoder) {
        return value == null
                ? Optional.empty()
                : readable(tx, keys, new KeyValue(key, value), row -> decoder.apply(row.getValue()));
    }

    /** {@return the decoded rows, without undecodable rows, after skipping or moving these} */
    public static <T> List<T> readable(
            ReadTransaction tx, TypeKeys keys, List<KeyValue> rows, Function<KeyValue, T> decoder) {
        List<T> decoded = new ArrayList<>(rows.size());
        rows.forEach(row -> readable(tx, keys, row, decoder).ifPresent(decoded::add));
        return decoded;
    }

    /**
     * {@return the name of the type of a row} A row without a type's name belongs to no quarantine: it is skipped.
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
     * Reads the first or last rows of a range, without conflicts. It continues after undecodable rows, so a result
     * below the limit contains all rows of the range.
     */
    public static <T> CompletableFuture<List<T>> range(
            ReadTransaction tx, TypeKeys keys, Range range, int limit, boolean reverse, Function<KeyValue, T> decoder) {
        return range(tx, tx.snapshot(), keys, range, limit, reverse, decoder);
    }

    /**
     * Reads the first or last rows of a range through a view of the transaction.
     *
     * @param view the transaction itself, to conflict with writes in the range, or its snapshot
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
     * Reads the first or last rows of a range with rows of several types.
     *
     * @param reader returns empty for an undecodable row
     */
    public static <T> CompletableFuture<List<T>> range(
            ReadTransaction view, Range range, int limit, boolean reverse, Function<KeyValue, Optional<T>> reader) {
        return view.getRange(range, limit, reverse).asList().thenCompose(rows -> {
            List<T> decoded =
                    rows.stream().flatMap(row -> reader.apply(row).stream()).toList();
            if (decoded.size() == rows.size() || rows.size() < limit) {
                return CompletableFuture.completedFuture(decoded);
            }
            byte[] last = rows.get(rows.size() - 1).getKey();
            Range rest = reverse ? new Range(range.begin, last) : new Range(ByteArrayUtil.keyAfter(last), range.end);
            return range(view, rest, limit - decoded.size(), reverse, reader)
                    .thenApply(next ->
                            Stream.concat(decoded.stream(), next.stream()).toList());
        });
    }

    private static void skip(ReadTransaction tx, TypeKeys keys, KeyValue row, UndecodableRowException error) {
        if (tx instanceof Transaction writable && TransactionScope.allowsQuarantine(tx)) {
            move(writable, keys, row, reason(Objects.requireNonNullElse(RootCauses.cause(error), error)));
        }
        logOnce(row.getKey(), error);
    }

    /** {@return the decoded row of a table without a quarantine; empty if it is undecodable, which is logged once} */
    public static <T> Optional<T> readableOrLogged(KeyValue row, Function<KeyValue, T> decoder) {
        try {
            return Optional.of(decoder.apply(row));
        } catch (RuntimeException e) { // tuples of damaged bytes fail in many ways
            logOnce(
                    row.getKey(),
                    new UndecodableRowException(
                            ByteArrayUtil.printable(row.getKey()), String.valueOf(RootCauses.message(e)), e));
            return Optional.empty();
        }
    }

    /** Logs a row that was skipped, unless this process has logged it. */
    private static void logOnce(byte[] key, RuntimeException error) {
        if (LOGGED.asMap().putIfAbsent(ByteArrayUtil.printable(key), true) == null) {
            LOG.warn("Passed over a row. {}", RootCauses.message(error));
            LOG.debug("Why the row could not be decoded", error);
        }
    }

    private static void move(Transaction tx, TypeKeys keys, KeyValue row, String reason) {
        byte[] key = row.getKey();
        int userVersion = TransactionScope.of(tx).userVersion(List.of(new RowKey(key)));
        Tuple entry = Tuple.from(keys.relative(key), reason);
        IncompleteVersionstamps.setStampedKey(
                tx, QuarantineKeys.of(keys).quarantine().pack(), userVersion, entry.pack());
        IncompleteVersionstamps.setStampedKey(
                tx, QuarantineKeys.of(keys).quarantined().pack(), userVersion, row.getValue());
        tx.addReadConflictKey(key);
        tx.clear(key);
        byte[] request = {keys.isJobRow(key) ? QuarantineKeys.JOB_MOVED : QuarantineKeys.OTHER_MOVED};
        tx.mutate(MutationType.BIT_OR, QuarantineKeys.of(keys).indexCheckRequest(), request);
    }

    private static String reason(Throwable error) {
        String message = RootCauses.message(error);
        String text = error.getClass().getSimpleName() + (message == null ? "" : ": " + message);
        return ByteArrayUtil.printable(
                text.substring(0, Math.min(text.length(), REASON_CHARS_MAX)).getBytes(StandardCharsets.UTF_8));
    }

    /** {@return a key as text: as a tuple if it is one} */
    private static String text(byte[] relativeKey) {
        try {
            return Tuple.fromBytes(relativeKey).toString();
        } catch (RuntimeException e) { // it is this key that cannot be decoded
            return ByteArrayUtil.printable(relativeKey);
        }
    }

    /** {@return the rows in quarantine after a row, oldest first} */
    public static CompletableFuture<List<Entry>> list(
            ReadTransaction tx, TypeKeys keys, Optional<Versionstamp> after, int limit) {
        Range all = QuarantineKeys.of(keys).quarantine().range();
        byte[] begin = after.map(id -> ByteArrayUtil.keyAfter(
                        QuarantineKeys.of(keys).quarantine().pack(id)))
                .orElse(all.begin);
        return tx.snapshot()
                .getRange(new Range(begin, all.end), limit)
                .asList()
                .thenApply(rows -> rows.stream().map(row -> entry(keys, row)).toList());
    }

    /** {@return whether one of the last rows of a type that were moved is of some tables} */
    public static CompletableFuture<Boolean> holdsAnyOf(
            ReadTransaction tx, TypeKeys keys, List<String> tables, int limit) {
        return tx.snapshot()
                .getRange(QuarantineKeys.of(keys).quarantine().range(), limit, true)
                .asList()
                .thenApply(rows -> rows.stream().anyMatch(row -> isOf(keys, row, tables)));
    }

    private static boolean isOf(TypeKeys keys, KeyValue row, List<String> tables) {
        byte[] key = keys.absolute(Tuple.fromBytes(row.getValue()).getBytes(0));
        return tables.stream().anyMatch(table -> keys.table(table).contains(key));
    }

    /** {@return the tables of the first rows of a type that are in quarantine; empty text for one that has none} */
    public static CompletableFuture<List<String>> tables(ReadTransaction tx, TypeKeys keys, int limit) {
        return tx.snapshot()
                .getRange(QuarantineKeys.of(keys).quarantine().range(), limit)
                .asList()
                .thenApply(rows ->
                        rows.stream().map(row -> tableOf(row.getValue())).toList());
    }

    private static String tableOf(byte[] entry) {
        try {
            return TupleReader.below(EMPTY, Tuple.fromBytes(entry).getBytes(0)).readString();
        } catch (RuntimeException e) { // it is this key that cannot be decoded
            return "";
        }
    }

    private static Entry entry(TypeKeys keys, KeyValue row) {
        Tuple entry = Tuple.fromBytes(row.getValue());
        return new Entry(
                QuarantineKeys.of(keys).quarantine().unpack(row.getKey()).getVersionstamp(0),
                text(entry.getBytes(0)),
                entry.getString(1));
    }

    /** {@return the original row, if it is in quarantine} */
    public static CompletableFuture<Optional<KeyValue>> peek(Transaction tx, TypeKeys keys, Versionstamp id) {
        return tx.get(QuarantineKeys.of(keys).quarantine().pack(id))
                .thenCombine(
                        tx.get(QuarantineKeys.of(keys).quarantined().pack(id)),
                        (entry, bytes) -> entry == null || bytes == null
                                ? Optional.empty()
                                : Optional.of(new KeyValue(
                                        keys.absolute(Tuple.fromBytes(entry).getBytes(0)), bytes)));
    }

    /** Takes a row out of quarantine. */
    public static void clear(Transaction tx, TypeKeys keys, Versionstamp id) {
        tx.clear(QuarantineKeys.of(keys).quarantine().pack(id));
        tx.clear(QuarantineKeys.of(keys).quarantined().pack(id));
    }
}
