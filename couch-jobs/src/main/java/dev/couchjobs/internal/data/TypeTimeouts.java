package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The {@code activity_timeout} rows, in whole seconds; the types that have one are the types there are. */
public final class TypeTimeouts {
    /** The shortest timeout that a type may have. */
    public static final Duration TIMEOUT_MIN = Duration.ofSeconds(1);

    private static final Duration TIMEOUT_MAX = Duration.ofDays(3_650);

    private TypeTimeouts() {}

    public static void check(Duration timeout) {
        if (timeout.compareTo(TIMEOUT_MIN) < 0
                || timeout.compareTo(TIMEOUT_MAX) > 0
                || !timeout.equals(Duration.ofSeconds(timeout.toSeconds()))) {
            throw new IllegalArgumentException(
                    "An activity timeout is a whole number of seconds, from one second to 3,650 days; this is "
                            + timeout + ".");
        }
    }

    public static void set(Transaction tx, TypeKeys keys, Duration timeout) {
        tx.set(keys.activityTimeout(), Tuple.from(timeout.toSeconds()).pack());
    }

    public static void clear(Transaction tx, TypeKeys keys) {
        tx.clear(keys.activityTimeout());
    }

    /** {@return the timeout, if the type has one} */
    public static CompletableFuture<Optional<Duration>> get(ReadTransaction tx, TypeKeys keys) {
        return tx.snapshot()
                .get(keys.activityTimeout())
                .thenApply(value -> Optional.ofNullable(value)
                        .map(bytes -> Quarantine.decode(
                                keys,
                                new KeyValue(keys.activityTimeout(), bytes),
                                row -> Duration.ofSeconds(
                                        Tuple.fromBytes(row.getValue()).getLong(0)))));
    }

    /** {@return completes when the timeout is set or taken away after this transaction} */
    public static CompletableFuture<Void> watch(Transaction tx, TypeKeys keys) {
        return tx.watch(keys.activityTimeout());
    }

    /** {@return the names of the types that have a timeout} */
    public static CompletableFuture<List<String>> types(ReadTransaction tx, Keyspace keyspace) {
        return tx.snapshot()
                .getRange(keyspace.activityTimeouts())
                .asList()
                .thenApply(rows -> rows.stream()
                        .flatMap(row -> Quarantine.typeName(row.getKey(), keyspace::typeName).stream())
                        .toList());
    }
}
