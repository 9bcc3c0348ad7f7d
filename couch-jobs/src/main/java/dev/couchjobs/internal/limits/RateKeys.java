package dev.couchjobs.internal.limits;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of the rates of a type and of its limit keys. */
final class RateKeys {
    private final Subspace ratedKeys;
    private final Subspace keyRates;
    private final Subspace tokenWaits;
    private final byte[] rate;
    private final Subspace rateShards;

    private RateKeys(TypeKeys type) {
        ratedKeys = type.table("rated_keys");
        keyRates = type.table("key_rates");
        tokenWaits = type.table("token_waits");
        rate = type.row("rate");
        rateShards = type.table("rate");
    }

    static RateKeys of(TypeKeys type) {
        return type.derived(RateKeys.class, RateKeys::new);
    }

    /** The limit keys that have a rate. */
    Subspace ratedKeys() {
        return ratedKeys;
    }

    /** The row that counts the starts under the rate of a limit key. */
    byte[] keyRate(String limitKey) {
        return keyRates.pack(limitKey);
    }

    /** The limit keys whose jobs wait for tokens, by the version from which there is one. */
    Subspace tokenWaits() {
        return tokenWaits;
    }

    /** The key of the row that counts the starts under the rate of the type, if that is not split. */
    byte[] rate() {
        return rate;
    }

    /** The key of the row that counts the starts under a part of the rate of the type. */
    byte[] rate(int shard) {
        return rateShards.pack(shard);
    }

    /** The rows that count the starts under the rate of the type, or under its parts. */
    Range rates() {
        return new Range(rate, rateShards.range().end);
    }
}
