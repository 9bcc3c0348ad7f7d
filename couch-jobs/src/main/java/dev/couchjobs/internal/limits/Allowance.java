package dev.couchjobs.internal.limits;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobReason;
import dev.couchjobs.JobReason.Kind;
import dev.couchjobs.Rate;
import dev.couchjobs.TypePause;
import dev.couchjobs.internal.feature.Rest;
import dev.couchjobs.internal.job.ClaimInfo;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.Layout;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.loop.ArmedWatch;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** How many jobs of a type a transaction may claim, by the rules of the type. */
public final class Allowance {
    /** Nothing is limited. */
    public static final Allowance UNLIMITED = new Allowance(ClaimRules.NONE, null, null);

    private static final Duration UNWATCHED_PAUSE = Duration.ofSeconds(30);

    /** What a prefetch leaves of the rest is for other processes. */
    private static final int PREFETCHING_PROCESSES = 4;

    private static final Home ANY = new Home(0, () -> 0);

    private final ClaimRules rules;
    private final @Nullable RunningLimit running;
    private final @Nullable SplitRate rate;

    private Allowance(ClaimRules rules, @Nullable RunningLimit running, @Nullable SplitRate rate) {
        this.rules = rules;
        this.running = running;
        this.rate = rate;
    }

    /**
     * The shard that a process uses first.
     *
     * @param shard a number that stands for it
     * @param random chooses among other shards
     */
    public record Home(int shard, RandomGenerator random) {}

    /**
     * Reads the allowance. Most instances have no rules at all, which the layout says: that is read in any case.
     *
     * @param expectsRules whether to read the rules at once, and not only when the layout is known
     */
    public static CompletableFuture<Allowance> read(
            Transaction tx, TypeKeys keys, LayoutRow layoutRow, boolean expectsRules, Home home) {
        CompletableFuture<Layout> layout = layoutRow.checkedBy(tx);
        return expectsRules
                ? read(tx, keys, layout, home)
                : layout.thenCompose(known -> known.mayUse(Feature.CLAIM_RULES)
                        ? read(tx, keys, layout, home)
                        : CompletableFuture.completedFuture(UNLIMITED));
    }

    private static CompletableFuture<Allowance> read(
            Transaction tx, TypeKeys keys, CompletableFuture<Layout> layout, Home home) {
        return ClaimRules.ofClaim(tx, keys)
                .thenCompose(rules -> rules.pause() != null || !rules.limitsClaims()
                        ? CompletableFuture.completedFuture(new Allowance(rules, null, null))
                        : layout.thenCompose(
                                known -> readLimits(tx, keys, rules, known.mayUse(Feature.LIMIT_SHARDS), home)));
    }

    /** {@return the allowance of all transactions together, for one that claims nothing} */
    static CompletableFuture<Allowance> ofAll(ReadTransaction tx, TypeKeys keys) {
        return ClaimRules.ofClaim(tx, keys).thenCompose(rules -> readLimits(tx, keys, rules, true, ANY));
    }

    private static CompletableFuture<Allowance> readLimits(
            ReadTransaction tx, TypeKeys keys, ClaimRules rules, boolean maySplit, Home home) {
        CompletableFuture<@Nullable RunningLimit> running = rules.max().isEmpty()
                ? CompletableFuture.completedFuture(null)
                : RunningLimit.read(tx, keys, rules.max().getAsInt(), maySplit, home);
        Rate rate = rules.rate();
        CompletableFuture<@Nullable SplitRate> split = rate == null
                ? CompletableFuture.completedFuture(null)
                : RateMeter.read(tx, keys, rate, maySplit ? Split.parts(rate) : List.of(rate))
                        .thenApply(meters -> SplitRate.of(meters, home));
        return running.thenCombine(split, (max, meters) -> new Allowance(rules, max, meters));
    }

    /** {@return whether the type is paused} */
    public boolean isPaused() {
        return rules.pause() != null;
    }

    /** {@return what keeps due jobs of the type, if no transaction may claim any} */
    Optional<JobReason> reason(Instant now) {
        TypePause pause = rules.pause();
        if (pause != null) {
            String why = pause.reason();
            return Optional.of(new JobReason(
                    Kind.TYPE_PAUSED,
                    "Its type has been paused since " + pause.since() + (why.isEmpty() ? "." : ": " + why)));
        }
        if (running != null && running.unused() == 0) {
            return Optional.of(
                    new JobReason(Kind.TYPE_LIMIT, "As many jobs of its type run as may: " + running.max() + "."));
        }
        return rate == null || rate.unused() > 0
                ? Optional.empty()
                : Optional.of(new JobReason(
                        Kind.TYPE_RATE,
                        "As many jobs of its type have started as may by its rate.",
                        Optional.of(now.plus(rate.untilNext()))));
    }

    /** {@return whether the type has rules} */
    public boolean hasRules() {
        return !rules.equals(ClaimRules.NONE);
    }

    /** {@return whether limit keys of the type are paused} */
    boolean hasPausedKeys() {
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

    /** {@return whether claims commit one after the other} */
    public boolean isSerial() {
        return (running != null && running.isSerial()) || (rate != null && rate.isSerial());
    }

    /** {@return how many jobs the transaction may claim} */
    public int jobs() {
        if (isPaused()) {
            return 0;
        }
        return Math.min(
                running == null ? Integer.MAX_VALUE : running.jobs(), rate == null ? Integer.MAX_VALUE : rate.jobs());
    }

    /**
     * {@return whether other transactions may claim jobs after this one}
     *
     * @param jobs how many jobs this one claims
     */
    public boolean leavesAny(int jobs) {
        return unused() > jobs && (rate == null || rate.unused() > jobs);
    }

    private int unused() {
        return running == null ? Integer.MAX_VALUE : running.unused();
    }

    /** {@return the shard that counts the claims of the transaction, or {@link ClaimInfo#NO_LIMIT_SHARD}} */
    public int shard() {
        return running == null ? ClaimInfo.NO_LIMIT_SHARD : running.shard();
    }

    /**
     * {@return how many jobs a process may claim ahead of their start, after a claim} A job that waits for a slot must
     * keep no other from running. So a prefetch leaves a quarter of each limit unused, and takes a quarter of the rest.
     *
     * @param jobs how many jobs the claim takes
     */
    public int prefetchMax(int jobs) {
        if (hasRatedKeys()) {
            return 0;
        }
        return Math.min(
                running == null ? Integer.MAX_VALUE : prefetchMax(running.unused() - jobs, running.max()),
                rate == null ? Integer.MAX_VALUE : prefetchMax(rate.unused() - jobs, rate.max()));
    }

    private static int prefetchMax(int left, int max) {
        return Math.max(0, left - (max + 3) / 4) / PREFETCHING_PROCESSES;
    }

    /** Uses a part of the allowance. */
    public void use(Transaction tx, TypeKeys keys, int jobs) {
        if (jobs == 0) {
            return;
        }
        if (running != null) {
            running.conflict(tx, keys);
        }
        if (rate != null) {
            rate.start(tx, jobs);
        }
    }

    /**
     * {@return when more jobs may be allowed, if none is now}
     *
     * @param mayWatch whether the process may watch; otherwise it looks again after a while, whether the type is in
     *     use or not
     */
    public CompletableFuture<Rest> rest(Transaction tx, TypeKeys keys, boolean mayWatch) {
        Rest rest = isRateUsedUp()
                ? Rest.atMost(Objects.requireNonNull(rate).untilNext())
                : mayWatch ? Rest.NONE : Rest.atMost(UNWATCHED_PAUSE);
        return mayWatch
                ? watch(tx, keys).thenApply(watches -> Rest.on(watches).and(rest))
                : CompletableFuture.completedFuture(rest);
    }

    /** {@return whether nothing but the rate of the type keeps its jobs} */
    private boolean isRateUsedUp() {
        return rate != null && !isPaused() && unused() > 0 && rate.unused() == 0;
    }

    /** {@return watches that fire when more jobs may be allowed, other than by the passage of time} */
    private CompletableFuture<List<ArmedWatch>> watch(Transaction tx, TypeKeys keys) {
        CompletableFuture<ArmedWatch> changed = ClaimRules.watch(tx, keys);
        return isPaused() || unused() > 0
                ? changed.thenApply(List::of)
                : changed.thenCombine(ArmedWatch.arm(tx, LimitKeys.of(keys).watchesEnds()), List::of);
    }
}
