package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.Rest;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.idle.Leadership;
import dev.couchjobs.internal.limits.Allowance;
import dev.couchjobs.internal.limits.LimitKeys;
import dev.couchjobs.internal.limits.SlotTable;
import dev.couchjobs.internal.limits.TokenWaits;
import dev.couchjobs.internal.limits.WaitingKeys;
import dev.couchjobs.internal.queue.QueueKeys;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TouchedRows;
import dev.couchjobs.internal.turns.TurnSource;
import dev.couchjobs.loop.ArmedWatch;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** One try of a claim that claims new jobs, or arms a watch if there are none. */
final class ClaimTry<D> {
    /**
     * What precedes a try in the transaction of an {@link Exchange}.
     *
     * @param ended the jobs that it ends or puts back: the try leaves them to the next claim
     * @param awaitsJobs whether the acceptor has watches that fire when there may be jobs
     */
    record Joined(Set<JobRef> ended, boolean awaitsJobs) {}

    private final ClaimParts<D> parts;
    private final ClaimDemand demand;
    private final Transaction tx;
    private final long now;
    private final TriedClaims<D> tried;
    private final TurnSource.Try turns;
    private final CandidateClaims<D> candidates;
    private final Leadership.RoleTransaction roleTransaction;
    private final WaitingKeys.Try waitingKeys;
    private final boolean avoidsMoves;
    private final Optional<Joined> joined;

    /** The role of this process before the next try, as far as it knows. */
    private volatile Leadership.Role role;

    private volatile int claimedCount;

    /**
     * @param role the role of this process
     * @param tried the claims of the tries before
     * @param turnSkip how many turns to skip at most
     * @param avoidsMoves whether to leave it to other processes to put jobs back and to admit others, if this try can
     *     claim jobs
     * @param joined what precedes this try in the transaction of an exchange
     */
    ClaimTry(
            ClaimParts<D> parts,
            ClaimDemand demand,
            Leadership.Role role,
            TriedClaims<D> tried,
            int turnSkip,
            boolean avoidsMoves,
            Optional<Joined> joined,
            Transaction tx) {
        this.parts = parts;
        this.demand = demand;
        this.role = role;
        this.avoidsMoves = avoidsMoves;
        this.joined = joined;
        this.tx = tx;
        this.now = parts.clock.instant().getEpochSecond();
        this.tried = tried;
        this.turns = parts.turns.new Try(tx, turnSkip);
        Set<JobRef> ended = joined.map(Joined::ended).orElse(Set.of());
        this.candidates = new CandidateClaims<>(parts, demand, tried, turns, tx, now, avoidsMoves, ended);
        this.waitingKeys = parts.waitingKeys.new Try(tx, demand.total());
        this.roleTransaction = parts.leadership.new RoleTransaction(tx, role);
    }

    Leadership.Role role() {
        return role;
    }

    /** {@return how many jobs this try claims; 0 until it has claimed them all} */
    int claimedCount() {
        return claimedCount;
    }

    /** {@return over what this try may have conflicted with another claim, other than jobs} */
    Set<Contention> contention() {
        Set<Contention> all = EnumSet.noneOf(Contention.class);
        all.addAll(candidates.contention());
        if (waitingKeys.admitted() > 0) {
            all.add(Contention.MOVES);
        }
        if (turns.hasStarted()) {
            all.add(Contention.TURNS);
        }
        if (parts.memory.allowance.isSerial()) {
            all.add(Contention.LIMIT);
        }
        return all;
    }

    CompletableFuture<ClaimResult<D>> claim() {
        CompletableFuture<Allowance> allowance = readAllowance();
        CompletableFuture<?> keys = waitingKeys.read(allowance);
        if (!avoidsMoves) {
            candidates.awaitAdmission(keys.thenCompose(read -> admitWaiting()), waitingKeys.areExpected());
        }
        // The queue is read at the same time, unless that depends on how many jobs are allowed.
        CompletableFuture<?> ready =
                parts.memory.allowance.isLimited() ? allowance : CompletableFuture.completedFuture(true);
        return claimEach(ready, allowance)
                .thenCompose(claimed -> keys.thenCompose(read ->
                        avoidsMoves ? claimAdmitted(claimed, allowance) : CompletableFuture.completedFuture(claimed)))
                .thenCompose(jobs -> {
                    demand.ofCalls(jobs).forEach(this::record);
                    turns.settle();
                    return allowance.thenCompose(read -> complete(jobs, read));
                });
    }

    private CompletableFuture<Map<ClaimCriteria, List<GrantedClaim<D>>>> claimEach(
            CompletableFuture<?> ready, CompletableFuture<Allowance> allowance) {
        Map<ClaimCriteria, CompletableFuture<List<GrantedClaim<D>>>> claims = new LinkedHashMap<>();
        CompletableFuture<?> previous = ready;
        for (ClaimCriteria criteria : demand.criteria()) {
            // One after the other: in parallel, claims by different criteria could claim the same job.
            CompletableFuture<List<GrantedClaim<D>>> next =
                    previous.thenCompose(done -> candidates.claim(roleTransaction, allowance, criteria));
            claims.put(criteria, next);
            previous = next;
        }
        return Futures.valuesOf(claims);
    }

    /** A try after a conflict leaves it to other processes to admit jobs, unless it can claim none without that. */
    private CompletableFuture<Map<ClaimCriteria, List<GrantedClaim<D>>>> claimAdmitted(
            Map<ClaimCriteria, List<GrantedClaim<D>>> claimed, CompletableFuture<Allowance> allowance) {
        if (claimed.values().stream().anyMatch(jobs -> !jobs.isEmpty())) {
            waitingKeys.leave();
            return CompletableFuture.completedFuture(claimed);
        }
        return admitWaiting()
                .thenCompose(hasAdmitted -> hasAdmitted
                        ? claimEach(CompletableFuture.completedFuture(claimed), allowance)
                        : CompletableFuture.completedFuture(claimed));
    }

    /** {@return whether it has admitted jobs} */
    private CompletableFuture<Boolean> admitWaiting() {
        if (waitingKeys.isEmpty() || candidates.isAllowanceUsedUp()) {
            waitingKeys.leave();
            return CompletableFuture.completedFuture(false);
        }
        // Requests for turns are read before the first is written: what is written cannot be read any more.
        return candidates
                .turnsRead()
                .thenCompose(read -> waitingKeys.admit())
                .thenApply(done -> waitingKeys.admitted() > 0);
    }

    private void record(CallRow call, List<GrantedClaim<?>> claims) {
        call.write(tx, claims, parts.clock.millis());
        tried.recorded(claims);
    }

    private CompletableFuture<Allowance> readAllowance() {
        Allowance.Home home = new Allowance.Home(parts.memory.homeShard, parts.environment.random());
        return Allowance.read(tx, parts.keys, parts.layoutRow, parts.memory.allowance.hasRules(), home)
                .thenApply(read -> {
                    candidates.allow(read.jobs());
                    parts.memory.allowance = read;
                    return read;
                });
    }

    private CompletableFuture<ClaimResult<D>> complete(
            Map<ClaimCriteria, List<GrantedClaim<D>>> jobs, Allowance allowance) {
        claimedCount = jobs.values().stream().mapToInt(List::size).sum();
        allowance.use(tx, parts.keys, claimedCount);
        if (waitingKeys.admitted() > claimedCount) {
            SlotTable.wakeProcessors(tx, parts.keys);
        }
        parts.memory.prefetchMax = allowance.prefetchMax(claimedCount);
        boolean leavesJobs = leavesJobs();
        if (claimedCount == 0 && joined.filter(this::armsNoWatch).isPresent()) {
            return CompletableFuture.completedFuture(
                    new ClaimResult<>(jobs, leavesJobs ? Set.of() : demand.criteria(), role, Rest.AT_ONCE));
        }
        if (allowance.isPaused()) {
            return resigned()
                    .thenCompose(change -> allowance
                            .rest(tx, parts.keys, demand.mayWatch())
                            .thenApply(rest -> new ClaimResult<>(Map.of(), demand.criteria(), change.role(), rest)));
        }
        boolean isUsedUp = candidates.isAllowanceUsedUp() && !allowance.leavesAny(claimedCount);
        if (isUsedUp && claimedCount == 0) {
            return changeRoleWhenIdle(() -> allowance.rest(tx, parts.keys, demand.mayWatch()));
        }
        if (leavesJobs && !isUsedUp) {
            return CompletableFuture.completedFuture(new ClaimResult<>(jobs, Set.of(), role, Rest.AT_ONCE));
        }
        Set<ClaimCriteria> exhausted = new LinkedHashSet<>();
        jobs.forEach((criteria, claimed) -> {
            if (isUsedUp || claimed.size() < demand.jobsFor(criteria)) {
                exhausted.add(criteria);
            }
        });
        return claimedCount == 0
                ? changeRoleWhenIdle(() -> restOfSources(allowance))
                : changeRoleAfterClaim(jobs, exhausted);
    }

    /** An acceptor that awaits jobs goes on to do so. What the ends have touched cannot be watched. */
    private boolean armsNoWatch(Joined before) {
        return before.awaitsJobs()
                || TouchedRows.isTouched(tx, QueueKeys.of(parts.keys).watchesPending())
                || TouchedRows.isTouched(tx, LimitKeys.of(parts.keys).watchesEnds());
    }

    private boolean leavesJobs() {
        boolean hasClaimed = claimedCount > 0;
        boolean isShort = claimedCount < demand.total();
        return candidates.leavesJobs()
                || waitingKeys.leavesJobs(hasClaimed)
                || (isShort
                        && (candidates.isAllowanceUsedUp()
                                || (hasClaimed && candidates.leavesOthers())
                                || turns.leavesJobs(hasClaimed)));
    }

    /**
     * {@return when there may be jobs, where there are none now} A watch reads its key, so a try with a claim arms
     * none: the claim would conflict with every enqueue.
     */
    private CompletableFuture<Rest> restOfSources(Allowance allowance) {
        List<CompletableFuture<Rest>> rests = new ArrayList<>();
        if (demand.mayWatch()) {
            rests.add(ArmedWatch.arm(tx, QueueKeys.of(parts.keys).watchesPending())
                    .thenApply(watch -> Rest.on(List.of(watch))));
        }
        demand.criteria().forEach(criteria -> rests.add(parts.queue.rest(tx, criteria.wanted(), now)));
        if (allowance.hasRatedKeys()) {
            rests.add(TokenWaits.rest(tx, parts.keys));
        }
        return Futures.listOf(rests).thenApply(all -> all.stream().reduce(turns.rest(now), Rest::and));
    }

    /** A process that waits for the end of a pause neither watches for new jobs nor follows one that does. */
    private CompletableFuture<Leadership.RoleChange> resigned() {
        return role.isRegistered()
                ? roleTransaction.resign()
                : CompletableFuture.completedFuture(Leadership.RoleChange.of(role));
    }

    private CompletableFuture<ClaimResult<D>> changeRoleAfterClaim(
            Map<ClaimCriteria, List<GrantedClaim<D>>> jobs, Set<ClaimCriteria> exhausted) {
        boolean hasCapacity = exhausted.containsAll(demand.criteria()) && !candidates.leavesCandidates();
        return changeRole(() -> roleTransaction.onClaim(hasCapacity)).thenApply(change -> {
            Rest rest = change.wakeUp().isPresent() ? change.rest() : Rest.AT_ONCE;
            return new ClaimResult<>(jobs, exhausted, change.role(), rest);
        });
    }

    /** @param rest of a process that is no follower */
    private CompletableFuture<ClaimResult<D>> changeRoleWhenIdle(Supplier<CompletableFuture<Rest>> rest) {
        if (demand.electsLeader()) {
            role = Leadership.Role.FOLLOWER; // this try may register the process and yet fail
        }
        return changeRole(roleTransaction::onIdle).thenCompose(change -> {
            CompletableFuture<Rest> ofJobs = change.role() == Leadership.Role.FOLLOWER
                    ? CompletableFuture.completedFuture(Rest.NONE)
                    : rest.get();
            return ofJobs.thenApply(
                    until -> new ClaimResult<>(Map.of(), demand.criteria(), change.role(), until.and(change.rest())));
        });
    }

    /** Applies a change of the role; a process that does not elect a leader resigns instead. */
    private CompletableFuture<Leadership.RoleChange> changeRole(
            Supplier<CompletableFuture<Leadership.RoleChange>> change) {
        return demand.electsLeader() ? change.get() : resigned();
    }
}
