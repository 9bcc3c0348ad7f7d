package dev.couchjobs.internal.limits;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * The limit keys of a type whose rows in {@code limits} hold claims back. Each has a row in a subspace, and the rules
 * of the type say whether there are any, so that claims of other types read nothing more.
 */
enum ListedKeys {
    /** The paused keys. */
    PAUSED {
        @Override
        Subspace rows(TypeKeys keys) {
            return LimitKeys.of(keys).pausedKeys();
        }

        @Override
        ClaimRules in(ClaimRules rules, boolean areThere) {
            return rules.withPausedKeys(areThere);
        }
    },
    /** The keys with rates. */
    RATED {
        @Override
        Subspace rows(TypeKeys keys) {
            return RateKeys.of(keys).ratedKeys();
        }

        @Override
        ClaimRules in(ClaimRules rules, boolean areThere) {
            return rules.withRatedKeys(areThere);
        }
    };

    private static final byte[] EMPTY = {};

    /** {@return the subspace of the rows of such keys} */
    abstract Subspace rows(TypeKeys keys);

    /** {@return rules that say whether there are such keys} */
    abstract ClaimRules in(ClaimRules rules, boolean areThere);

    /** {@return whether a type has such keys} */
    CompletableFuture<Boolean> areThere(Transaction tx, TypeKeys keys) {
        return tx.getRange(rows(keys).range(), 1).asList().thenApply(found -> !found.isEmpty());
    }

    /** Lists a key, within a step that is in order with others that change the rules. */
    CompletableFuture<Void> add(Transaction tx, TypeKeys keys, String limitKey) {
        tx.set(rows(keys).pack(limitKey), EMPTY);
        return ClaimRules.replace(tx, keys, rules -> in(rules, true));
    }

    /** Removes a key from the list, within such a step. */
    CompletableFuture<Void> remove(Transaction tx, TypeKeys keys, String limitKey) {
        byte[] listed = rows(keys).pack(limitKey);
        var unusedRules = tx.snapshot().get(LimitKeys.of(keys).rules()); // in parallel
        CompletableFuture<Boolean> areOthersThere = tx.getRange(rows(keys).range(), 2)
                .asList()
                .thenApply(found -> found.stream().anyMatch(row -> !Arrays.equals(row.getKey(), listed)));
        return tx.get(listed)
                .thenCompose(row -> areOthersThere.thenCompose(areThere -> {
                    if (row == null) {
                        return CompletableFuture.completedFuture(null);
                    }
                    tx.clear(listed);
                    return ClaimRules.replace(tx, keys, rules -> in(rules, areThere));
                }));
    }
}
