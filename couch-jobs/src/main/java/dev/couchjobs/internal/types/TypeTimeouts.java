package dev.couchjobs.internal.types;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.loop.ArmedWatch;
import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The {@code activity_timeout} rows, in whole seconds, which are also the list of all types. Each row also says whether
 * its type is in use ({@link TypeInUse}), because every reader of the timeout needs that too.
 */
public final class TypeTimeouts {
    /** The shortest timeout that a type may have. */
    public static final Duration TIMEOUT_MIN = Duration.ofSeconds(1);

    private static final Duration TIMEOUT_MAX = Duration.ofDays(3_650);

    private TypeTimeouts() {}

    /** The timeouts of all types are also the list of the types. */
    private static Subspace rows(Keyspace keyspace) {
        return keyspace.table("activity_timeout");
    }

    private static byte[] rowKey(TypeKeys keys) {
        return keys.row("activity_timeout");
    }

    public static void check(Duration timeout) {
        Durations.wholeSeconds("timeout", timeout, TIMEOUT_MIN, TIMEOUT_MAX);
    }

    /** The content of a row. */
    record Row(Duration timeout, boolean isInUse) {
        private static Row decode(byte[] value) {
            Tuple tuple = Tuple.fromBytes(value);
            Duration timeout = Duration.ofSeconds(tuple.getLong(0));
            check(timeout);
            return new Row(timeout, tuple.size() > 1 && tuple.getBoolean(1));
        }

        private byte[] encode() {
            return (isInUse ? Tuple.from(timeout.toSeconds(), true) : Tuple.from(timeout.toSeconds())).pack();
        }
    }

    /** Sets a timeout, unless the type already has it. Replaces a damaged row. */
    public static CompletableFuture<?> set(Transaction tx, TypeKeys keys, Duration timeout) {
        return tx.get(rowKey(keys)).thenCompose(value -> {
            Optional<Row> before = Quarantine.readable(tx, keys, rowKey(keys), value, Row::decode);
            Row after = new Row(timeout, before.filter(Row::isInUse).isPresent());
            if (before.equals(Optional.of(after))) {
                return CompletableFuture.allOf();
            }
            tx.addWriteConflictKey(changes(keys));
            write(tx, keys, after);
            return TypeInUse.tellOfTimeout(tx, keys);
        });
    }

    /**
     * Writes a timeout if the type has none. Transactions that do so for the same type do not conflict with each other,
     * but with {@link #set} and {@link #clear}.
     *
     * @return whether the type had none
     */
    public static CompletableFuture<Boolean> setIfAbsent(Transaction tx, TypeKeys keys, Duration timeout) {
        return row(tx, keys).thenApply(row -> {
            if (row.isEmpty()) {
                conflictWithChanges(tx, keys);
                write(tx, keys, new Row(timeout, false));
                TypeInUse.tellOfNewType(tx, keys);
            }
            return row.isEmpty();
        });
    }

    /**
     * Makes a transaction conflict with changes of the timeout, but not with the type coming into use: transactions
     * that enqueue the first jobs of a type must not conflict.
     */
    static void conflictWithChanges(Transaction tx, TypeKeys keys) {
        tx.addReadConflictKey(changes(keys));
    }

    /** Stands for changes of the timeout in conflict ranges. Nothing is stored there. */
    private static byte[] changes(TypeKeys keys) {
        return ByteArrayUtil.keyAfter(rowKey(keys));
    }

    static void write(Transaction tx, TypeKeys keys, Row row) {
        tx.set(rowKey(keys), row.encode());
    }

    public static void clear(Transaction tx, TypeKeys keys) {
        tx.addWriteConflictKey(changes(keys));
        tx.clear(rowKey(keys));
    }

    /** {@return the timeout, if the type has one} */
    public static CompletableFuture<Optional<Duration>> get(ReadTransaction tx, TypeKeys keys) {
        return row(tx, keys).thenApply(row -> row.map(Row::timeout));
    }

    /** {@return the row of a type, if it has one; read without conflicts} */
    static CompletableFuture<Optional<Row>> row(ReadTransaction tx, TypeKeys keys) {
        return tx.snapshot()
                .get(rowKey(keys))
                .thenApply(value -> Optional.ofNullable(value)
                        .map(bytes -> Quarantine.decode(
                                keys, new KeyValue(rowKey(keys), bytes), row -> Row.decode(row.getValue()))));
    }

    /**
     * {@return the timeout of a type, if it has a decodable one} A damaged row is not reported.
     */
    public static CompletableFuture<Optional<Duration>> getIfReadable(ReadTransaction tx, TypeKeys keys) {
        return rowIfReadable(tx, keys).thenApply(row -> row.map(Row::timeout));
    }

    /** {@return the row of a type, if it has a decodable one; read without conflicts} */
    static CompletableFuture<Optional<Row>> rowIfReadable(ReadTransaction tx, TypeKeys keys) {
        return row(tx, keys)
                .exceptionallyCompose(error -> RootCauses.cause(error) instanceof UndecodableRowException
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(error));
    }

    /** {@return a watch that fires when the timeout changes after this transaction} */
    public static CompletableFuture<ArmedWatch> watch(Transaction tx, TypeKeys keys) {
        return ArmedWatch.arm(tx, rowKey(keys));
    }

    /** {@return the names of the types that have a timeout} */
    public static CompletableFuture<List<String>> types(ReadTransaction tx, Keyspace keyspace) {
        return types(tx, keyspace, ReadTransaction.ROW_LIMIT_UNLIMITED);
    }

    /** {@return the names of the first types that have a timeout} */
    public static CompletableFuture<List<String>> types(ReadTransaction tx, Keyspace keyspace, int limit) {
        return tx.snapshot()
                .getRange(rows(keyspace).range(), limit)
                .asList()
                .thenApply(rows -> rows.stream()
                        .flatMap(row ->
                                Quarantine.typeName(
                                        row.getKey(),
                                        key -> rows(keyspace).unpack(key).getString(0))
                                        .stream())
                        .toList());
    }
}
