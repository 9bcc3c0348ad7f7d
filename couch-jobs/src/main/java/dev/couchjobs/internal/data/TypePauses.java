package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.TypePause;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The {@code paused} rows. A type with such a row is paused, also if the row is damaged. */
public final class TypePauses {
    private TypePauses() {}

    /** {@return whether a type is paused} A claim that reads this does not commit after a pause. */
    public static CompletableFuture<Boolean> isPaused(ReadTransaction tx, TypeKeys keys) {
        return tx.get(keys.paused()).thenApply(row -> row != null);
    }

    /** {@return a future that completes when the type is resumed after this transaction} */
    public static CompletableFuture<Void> watch(Transaction tx, TypeKeys keys) {
        return tx.watch(keys.paused());
    }

    /** {@return since when, and why, a type is paused} */
    public static CompletableFuture<Optional<TypePause>> get(ReadTransaction tx, TypeKeys keys) {
        return tx.get(keys.paused())
                .thenApply(value -> Optional.ofNullable(value)
                        .map(bytes -> Quarantine.decode(
                                keys, new KeyValue(keys.paused(), bytes), row -> decode(row.getValue()))));
    }

    private static TypePause decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        return new TypePause(Instant.ofEpochMilli(row.getLong(0)), row.getString(1));
    }

    /** Pauses a type. */
    public static void set(Transaction tx, TypeKeys keys, long now, String reason) {
        tx.set(keys.paused(), Tuple.from(now, reason).pack());
    }

    /** Resumes a type. */
    public static void clear(Transaction tx, TypeKeys keys) {
        tx.clear(keys.paused());
    }
}
