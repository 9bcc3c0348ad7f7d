package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.Rest;
import dev.couchjobs.internal.feed.TokenSearch;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.idle.Leadership;
import dev.couchjobs.internal.limits.LimitShards;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.queue.QueueClearing;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * A transaction that claims jobs of one type, with all its tries.
 *
 * <p>Two claims conflict only over a job that both claim. A claim that removes a range of the queue also conflicts with
 * an addition to that range ({@link QueueClearing}). A claim that finds no job also arms a watch on the key that every
 * enqueue changes, in the same transaction, so it misses no job that is added between the read of the queue and the
 * watch.
 */
final class ClaimTransaction<D> {
    /** If a try took longer than this, the next try claims fewer jobs, so that it ends within five seconds. */
    private static final Duration SLOW = Duration.ofSeconds(2);

    private final ClaimParts<D> parts;
    private final TriedClaims<D> tried;

    // These change between two tries, and are read in callbacks of the next.
    private ClaimDemand demand;
    private Leadership.Role role;
    private boolean isRetry;
    /** When the last try got its read version: FoundationDB limits a transaction to five seconds from then on. */
    private volatile Optional<Instant> readVersionAt = Optional.empty();
    /** The last try, if it has found no earlier one that committed. */
    private volatile Optional<ClaimTry<D>> last;

    /** How many turns the next try may skip. */
    private int turnSkip;
    /** Whether a try has put jobs back or admitted jobs for tokens: the next ones leave that to other processes. */
    private boolean avoidsMoves;

    /**
     * @param role the role of this process
     * @param failed a try in the transaction of others that has failed: the first try follows it as a further one does
     */
    ClaimTransaction(ClaimParts<D> parts, ClaimDemand demand, Leadership.Role role, Optional<ClaimTry<D>> failed) {
        this.parts = parts;
        this.demand = demand;
        this.role = role;
        this.last = failed;
        this.isRetry = failed.isPresent();
        this.tried = new TriedClaims<>(parts);
    }

    /** {@return the search for an earlier try whose result is unknown} */
    TokenSearch earlierTries() {
        return tried.search();
    }

    /**
     * Runs one try. The demand is halved after a slow try, which may have exceeded the time limit of a transaction, and
     * after a conflict in a short queue, in which all processes try to claim the same jobs.
     */
    CompletableFuture<ClaimResult<D>> runTry(Transaction tx, BatchSize.Tries tries) {
        Instant now = parts.environment.clock().instant();
        boolean wasSlow = readVersionAt
                .filter(start -> Duration.between(start, now).compareTo(SLOW) > 0)
                .isPresent();
        if (isRetry) {
            prepareRetry(wasSlow);
        } else {
            parts.beginClaim(now);
        }
        isRetry = true;
        readVersionAt = Optional.empty();
        last = Optional.empty();
        return wasSlow ? tries.next(size -> claim(tx)) : tries.nextOfSameSize(size -> claim(tx));
    }

    /**
     * Adapts to the failure of the last try. If it would have claimed jobs and was not slow, it was a conflict with
     * another claim, unless a range of the queue may have conflicted with a job that was added.
     */
    private void prepareRetry(boolean wasSlow) {
        boolean mayBeOverRange = parts.queueClearing.retry();
        int claimed = last.map(ClaimTry::claimedCount).orElse(0);
        Set<Contention> contention = last.map(ClaimTry::contention).orElse(Set.of());
        boolean wasConflict = claimed > 0
                && !wasSlow
                && !mayBeOverRange
                && Collections.disjoint(contention, Set.of(Contention.MOVES, Contention.TOKENS, Contention.LIMIT));
        boolean wasOverTurns = wasConflict && contention.contains(Contention.TURNS);
        last.ifPresent(failed -> role = failed.role());
        avoidsMoves |= contention.contains(Contention.MOVES);
        turnSkip = 0;
        if (wasOverTurns) {
            turnSkip = parts.turns.skipAfterConflict(claimed);
        }
        if (wasSlow || (wasConflict && !wasOverTurns && !parts.queue.hasSurplus())) {
            demand = demand.halved();
        }
        if (wasConflict && parts.memory.allowance.isLimited()) {
            parts.memory.homeShard = parts.environment.random().nextInt(LimitShards.MAX);
        }
        if (wasConflict) {
            parts.queue.retryAfterConflict();
        } else {
            parts.queue.retry();
        }
    }

    private CompletableFuture<ClaimResult<D>> claim(Transaction tx) {
        return tx.getReadVersion()
                .thenCompose(version -> {
                    readVersionAt = Optional.of(parts.environment.clock().instant());
                    return tried.search().hasCommitted(tx);
                })
                .thenCompose(hasCommitted -> hasCommitted ? findEarlierClaims(tx) : claimNew(tx));
    }

    private CompletableFuture<ClaimResult<D>> findEarlierClaims(Transaction tx) {
        return tried.committed(tx)
                .thenApply(jobs -> new ClaimResult<>(jobs, Set.of(), role.afterUnknownResult(), Rest.AT_ONCE))
                .thenApply(result -> result.refusing(demand.rows()));
    }

    private CompletableFuture<ClaimResult<D>> claimNew(Transaction tx) {
        Set<CallRow> calls = demand.rows();
        return calls.isEmpty()
                ? claim(tx, demand)
                : haveClaimed(tx, calls).thenCompose(refused -> {
                    ClaimDemand rest = demand.without(refused).without(repeated(calls));
                    CompletableFuture<ClaimResult<D>> claimed = rest.jobs().isEmpty()
                            ? CompletableFuture.completedFuture(
                                    new ClaimResult<>(Map.of(), Set.of(), role, Rest.AT_ONCE))
                            : claim(tx, rest);
                    return claimed.thenApply(result -> result.refusing(refused));
                });
    }

    /** {@return calls that another one repeats, which comes first} They wait until that has claimed. */
    private static Set<CallRow> repeated(Set<CallRow> calls) {
        Set<Object> seen = new HashSet<>();
        return calls.stream().filter(call -> !seen.add(call.identity())).collect(Collectors.toSet());
    }

    private static CompletableFuture<Set<CallRow>> haveClaimed(Transaction tx, Set<CallRow> calls) {
        Map<CallRow, CompletableFuture<Boolean>> reads = new LinkedHashMap<>();
        calls.forEach(call -> reads.put(call, call.hasClaimed(tx)));
        return Futures.valuesOf(reads).thenApply(claimed -> {
            claimed.values().removeIf(has -> !has);
            return claimed.keySet();
        });
    }

    private CompletableFuture<ClaimResult<D>> claim(Transaction tx, ClaimDemand of) {
        ClaimTry<D> next = new ClaimTry<>(parts, of, role, tried, turnSkip, avoidsMoves, Optional.empty(), tx);
        last = Optional.of(next);
        return next.claim();
    }
}
