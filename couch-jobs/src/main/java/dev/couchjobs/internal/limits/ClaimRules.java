package dev.couchjobs.internal.limits;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.Rate;
import dev.couchjobs.TypePause;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.loop.ArmedWatch;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the claims of a type have to respect: the {@code rules} row. A type without the row has no rules.
 *
 * @param pause the pause of the type, or null
 * @param max how many jobs of the type may run at once
 * @param rate how many may start in a period, or null
 * @param hasPausedKeys whether limit keys of the type are paused
 * @param hasRatedKeys whether limit keys of the type have rates
 */
public record ClaimRules(
        @Nullable TypePause pause,
        OptionalInt max,
        @Nullable Rate rate,
        boolean hasPausedKeys,
        boolean hasRatedKeys) {
    /** The rules of a type without rules. */
    public static final ClaimRules NONE = new ClaimRules(null, OptionalInt.empty(), null, false, false);

    /** The rules of a type whose row is damaged: nothing may run beyond a limit that is not known. */
    private static final ClaimRules DAMAGED = NONE.withPause(new TypePause(Instant.EPOCH, "The row is damaged."));

    /** Wakes those who wait for a slot of a limit of a type, if a claim has ended. */
    public static void write(Changes changes) {
        boolean isAnyEnded = false;
        for (SavedChange change : changes.all()) {
            isAnyEnded |= isRunning(change.indexed()) && !isRunning(change.after());
        }
        if (isAnyEnded && LayoutRow.mayUse(changes.tx(), Feature.CLAIM_RULES)) {
            IncompleteVersionstamps.touch(
                    changes.tx(), LimitKeys.of(changes.keys()).watchesEnds(), changes.userVersion());
        }
    }

    private static boolean isRunning(@Nullable JobRow job) {
        return job != null && job.state() == JobState.RUNNING;
    }

    /** {@return whether the number of claims is limited} */
    boolean limitsClaims() {
        return max.isPresent() || rate != null;
    }

    /** {@return a copy with a pause, or without one} */
    public ClaimRules withPause(@Nullable TypePause newPause) {
        return new ClaimRules(newPause, max, rate, hasPausedKeys, hasRatedKeys);
    }

    /** {@return a copy with another limit of the running jobs} */
    public ClaimRules withMax(OptionalInt newMax) {
        return new ClaimRules(pause, newMax, rate, hasPausedKeys, hasRatedKeys);
    }

    /** {@return a copy with another rate} */
    public ClaimRules withRate(@Nullable Rate newRate) {
        return new ClaimRules(pause, max, newRate, hasPausedKeys, hasRatedKeys);
    }

    /** {@return a copy that says whether limit keys are paused} */
    ClaimRules withPausedKeys(boolean areThere) {
        return new ClaimRules(pause, max, rate, areThere, hasRatedKeys);
    }

    /** {@return a copy that says whether limit keys have rates} */
    ClaimRules withRatedKeys(boolean areThere) {
        return new ClaimRules(pause, max, rate, hasPausedKeys, areThere);
    }

    /** {@return the rules of a type as a claim respects them} A claim does not commit after a change of the rules. */
    public static CompletableFuture<ClaimRules> ofClaim(ReadTransaction tx, TypeKeys keys) {
        return tx.get(LimitKeys.of(keys).rules()).thenApply(value -> {
            if (value == null) {
                return NONE;
            }
            try {
                return decode(keys, value);
            } catch (UndecodableRowException e) {
                return DAMAGED;
            }
        });
    }

    /** {@return the rules of a type; fails if the row is damaged} */
    public static CompletableFuture<ClaimRules> read(ReadTransaction tx, TypeKeys keys) {
        return tx.get(LimitKeys.of(keys).rules()).thenApply(value -> value == null ? NONE : decode(keys, value));
    }

    /**
     * Changes the rules of a type; fails if the row is damaged. Code that does not know rules may no longer write.
     *
     * @param feature the feature that the rule needs
     */
    public static CompletableFuture<Void> set(
            Transaction tx, Keyspace keyspace, String typeName, Feature feature, UnaryOperator<ClaimRules> change) {
        return CompletableFuture.allOf(
                new LayoutRow(keyspace)
                        .raise(tx, layout -> layout.with(Feature.CLAIM_RULES).with(feature)),
                change(tx, keyspace.type(typeName), change));
    }

    /** Changes the rules of a type; fails if the row is damaged. */
    public static CompletableFuture<Void> change(Transaction tx, TypeKeys keys, UnaryOperator<ClaimRules> change) {
        return JobStore.of(tx)
                .inOrder(
                        List.of(LimitKeys.of(keys).rules()),
                        () -> read(tx, keys).thenApply(rules -> {
                            change.apply(rules).write(tx, keys);
                            return null;
                        }));
    }

    /** Changes the rules of a type, if they differ then, within a step that is {@linkplain #change in order}. */
    static CompletableFuture<Void> replace(Transaction tx, TypeKeys keys, UnaryOperator<ClaimRules> change) {
        return read(tx, keys).thenApply(before -> {
            ClaimRules after = change.apply(before);
            if (!after.equals(before)) {
                after.write(tx, keys);
            }
            return null;
        });
    }

    /** Removes all rules in a damaged row. Limit keys that are paused stay paused, and those with rates keep these. */
    public static CompletableFuture<Void> clear(Transaction tx, TypeKeys keys) {
        CompletableFuture<Boolean> areRated = ListedKeys.RATED.areThere(tx, keys);
        return ListedKeys.PAUSED
                .areThere(tx, keys)
                .thenAcceptBoth(
                        areRated,
                        (paused, rated) ->
                                NONE.withPausedKeys(paused).withRatedKeys(rated).write(tx, keys));
    }

    /** {@return a watch that fires when the rules change after this transaction} */
    public static CompletableFuture<ArmedWatch> watch(Transaction tx, TypeKeys keys) {
        return ArmedWatch.arm(tx, LimitKeys.of(keys).rules());
    }

    /** Lets claims of a type commit one after the other, so that each knows how many jobs the others have claimed. */
    static void conflictWithClaims(Transaction tx, TypeKeys keys) {
        byte[] claims = ByteArrayUtil.keyAfter(LimitKeys.of(keys).rules()); // nothing is stored there
        tx.addReadConflictKey(claims);
        tx.addWriteConflictKey(claims);
    }

    private void write(Transaction tx, TypeKeys keys) {
        if (equals(NONE)) {
            tx.clear(LimitKeys.of(keys).rules());
        } else {
            tx.set(LimitKeys.of(keys).rules(), encode());
        }
    }

    private byte[] encode() {
        Tuple row = new Tuple();
        row = pause == null
                ? row.addObject(null).addObject(null)
                : row.add(pause.since().toEpochMilli()).add(pause.reason());
        row = max.isPresent() ? row.add(max.getAsInt()) : row.addObject(null);
        if (rate != null) {
            row = row.add(rate.starts()).add(rate.period().toMillis()).add(rate.burst());
        } else if (hasPausedKeys || hasRatedKeys) {
            row = row.addObject(null).addObject(null).addObject(null);
        }
        if (hasRatedKeys) {
            row = row.add(hasPausedKeys).add(true);
        } else if (hasPausedKeys) {
            row = row.add(true);
        }
        return row.pack();
    }

    private static ClaimRules decode(TypeKeys keys, byte[] value) {
        try {
            return decode(Tuple.fromBytes(value));
        } catch (RuntimeException e) {
            throw UndecodableRowException.ofRules(keys.typeName(), e);
        }
    }

    private static ClaimRules decode(Tuple row) {
        TypePause pause =
                row.get(0) == null ? null : new TypePause(Instant.ofEpochMilli(row.getLong(0)), row.getString(1));
        OptionalInt max = row.get(2) == null ? OptionalInt.empty() : OptionalInt.of(Math.toIntExact(row.getLong(2)));
        if (max.isPresent() && max.getAsInt() < 1) {
            throw new IllegalArgumentException("No limit is " + max.getAsInt());
        }
        Rate rate = row.size() <= 3 || row.get(3) == null
                ? null
                : new Rate(
                        Math.toIntExact(row.getLong(3)),
                        Duration.ofMillis(row.getLong(4)),
                        Math.toIntExact(row.getLong(5)));
        return new ClaimRules(
                pause, max, rate, row.size() > 6 && row.getBoolean(6), row.size() > 7 && row.getBoolean(7));
    }
}
