package dev.couchjobs.internal.limits;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Rate;
import dev.couchjobs.internal.data.ClaimRules;
import dev.couchjobs.internal.data.Feature;
import dev.couchjobs.internal.data.LayoutRow;
import dev.couchjobs.internal.data.RateMeter;
import dev.couchjobs.internal.data.StateCounters;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of a type a transaction may claim, by the rules of the type.
 *
 * <p>Claims under a limit of the running jobs commit one after the other. They read the number of running jobs without
 * a conflict: all other transactions only lower it, so it is never exceeded.
 */
public final class Allowance {
    /** Nothing is limited. */
    public static final Allowance UNLIMITED = new Allowance(ClaimRules.NONE, Integer.MAX_VALUE, null);

    private final ClaimRules rules;
    private final int unused; // of the limit of running jobs
    private final @Nullable RateMeter meter;

    private Allowance(ClaimRules rules, int unused, @Nullable RateMeter meter) {
        this.rules = rules;
        this.unused = unused;
        this.meter = meter;
    }

    /**
     * Reads the allowance. Most instances have no rules at all, which the layout says: that is read in any case.
     *
     * @param expectsRules whether to read the rules at once, and not only when the layout is known
     */
    public static CompletableFuture<Allowance> read(
            Transaction tx, TypeKeys keys, LayoutRow layoutRow, boolean expectsRules) {
        return expectsRules
                ? read(tx, keys)
                : layoutRow
                        .checkedBy(tx)
                        .thenCompose(layout -> layout.mayUse(Feature.CLAIM_RULES)
                                ? read(tx, keys)
                                : CompletableFuture.completedFuture(UNLIMITED));
    }

    private static CompletableFuture<Allowance> read(Transaction tx, TypeKeys keys) {
        return ClaimRules.ofClaim(tx, keys).thenCompose(rules -> {
            if (rules.pause() != null || !rules.limitsClaims()) {
                return CompletableFuture.completedFuture(new Allowance(rules, Integer.MAX_VALUE, null));
            }
            CompletableFuture<Integer> unused = rules.max().isEmpty()
                    ? CompletableFuture.completedFuture(Integer.MAX_VALUE)
                    : StateCounters.read(tx.snapshot(), keys)
                            .thenApply(counts -> (int) Math.max(0, rules.max().getAsInt() - counts.running()));
            Rate rate = rules.rate();
            return rate == null
                    ? unused.thenApply(free -> new Allowance(rules, free, null))
                    : unused.thenCombine(
                            RateMeter.read(tx, keys, rate), (free, meter) -> new Allowance(rules, free, meter));
        });
    }

    /** {@return whether the type is paused} */
    public boolean isPaused() {
        return rules.pause() != null;
    }

    /** {@return whether the type has rules} */
    public boolean hasRules() {
        return !rules.equals(ClaimRules.NONE);
    }

    /** {@return whether limit keys of the type are paused} */
    public boolean hasPausedKeys() {
        return rules.hasPausedKeys();
    }

    /** {@return whether limit keys of the type have rates} */
    public boolean hasRatedKeys() {
        return rules.hasRatedKeys();
    }

    /** {@return whether the number of claims is limited} */
    public boolean isLimited() {
        return rules.limitsClaims();
    }

    /** {@return how many jobs the transaction may claim} */
    public int jobs() {
        if (isPaused()) {
            return 0;
        }
        return meter == null ? unused : Math.min(unused, meter.available());
    }

    /** Uses a part of the allowance. */
    public void use(Transaction tx, TypeKeys keys, int jobs) {
        if (jobs == 0) {
            return;
        }
        if (rules.max().isPresent()) {
            ClaimRules.conflictWithClaims(tx, keys);
        }
        if (meter != null) {
            meter.start(tx, keys, jobs);
        }
    }

    /** {@return the time after which the rate allows another job, if only the rate allows none now} */
    public Optional<Duration> untilNext() {
        return meter == null || isPaused() || unused == 0 || meter.available() > 0
                ? Optional.empty()
                : Optional.of(meter.untilNext());
    }

    /** {@return a future that completes when more jobs may be allowed, other than by the passage of time} */
    public CompletableFuture<Void> watch(Transaction tx, TypeKeys keys) {
        CompletableFuture<Void> changed = ClaimRules.watch(tx, keys);
        return isPaused() || unused > 0 ? changed : Pause.firstOf(changed, tx.watch(keys.watchesEnds()));
    }
}
