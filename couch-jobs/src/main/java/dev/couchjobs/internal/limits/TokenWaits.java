package dev.couchjobs.internal.limits;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.feature.Rest;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The limit keys of a type whose jobs wait for tokens of their rates, by the version from which each has a token: an
 * index of the rows of {@code slots}. It is read without conflicts; the row in {@code slots} decides.
 *
 * @param version the version from which there is a token
 * @param limitKey the limit key
 */
public record TokenWaits(long version, String limitKey) {
    private static final byte[] EMPTY = {};

    /** {@return the limit keys that may have a token now, at most a number} */
    public static CompletableFuture<List<TokenWaits>> due(Transaction tx, TypeKeys keys, int limit) {
        Subspace waits = RateKeys.of(keys).tokenWaits();
        return tx.getReadVersion()
                .thenCompose(version -> list(
                        tx,
                        keys,
                        new Range(waits.range().begin, waits.get(version).range().end),
                        limit));
    }

    /** {@return a rest until a limit key whose jobs wait has a token} */
    public static CompletableFuture<Rest> rest(ReadTransaction tx, TypeKeys keys) {
        return list(tx, keys, RateKeys.of(keys).tokenWaits().range(), 1)
                .thenCombine(
                        tx.getReadVersion(),
                        (first, version) -> first.stream()
                                .map(wait -> Duration.of(Math.max(1, wait.version - version), ChronoUnit.MICROS))
                                .findFirst()
                                .map(Rest::atMost)
                                .orElse(Rest.NONE));
    }

    private static CompletableFuture<List<TokenWaits>> list(ReadTransaction tx, TypeKeys keys, Range range, int limit) {
        return Quarantine.range(tx, keys, range, limit, false, row -> {
            Tuple path = RateKeys.of(keys).tokenWaits().unpack(row.getKey());
            return new TokenWaits(path.getLong(0), path.getString(1));
        });
    }

    static void set(Transaction tx, TypeKeys keys, long version, String limitKey) {
        tx.set(key(keys, version, limitKey), EMPTY);
    }

    static void clear(Transaction tx, TypeKeys keys, long version, String limitKey) {
        tx.clear(key(keys, version, limitKey));
    }

    /** Removes this row, which does not agree with the row in {@code slots}. */
    void clear(Transaction tx, TypeKeys keys) {
        clear(tx, keys, version, limitKey);
    }

    private static byte[] key(TypeKeys keys, long version, String limitKey) {
        return RateKeys.of(keys).tokenWaits().pack(Tuple.from(version, limitKey));
    }
}
