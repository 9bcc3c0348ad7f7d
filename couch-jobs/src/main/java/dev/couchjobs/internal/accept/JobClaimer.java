package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.Feature;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.LayoutRow;
import dev.couchjobs.internal.data.LimitShards;
import dev.couchjobs.internal.data.QueueEntry;
import dev.couchjobs.internal.data.RowChange;
import dev.couchjobs.internal.data.TokenSearch;
import dev.couchjobs.internal.data.TokenWaits;
import dev.couchjobs.internal.data.TypeInUse;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.limits.Admission;
import dev.couchjobs.internal.limits.Allowance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Claims jobs of one type, many in one transaction.
 *
 * <p>Two claims conflict only over a job that both claim. A claim that removes a range of the queue also conflicts with
 * an addition to that range ({@link QueueClearing}). A claim that
 * finds no job also arms a watch on the key that every enqueue changes, in the same transaction, so it misses no job
 * that is added between the read of the queue and the watch.
 */
final class JobClaimer<D> {
    /** The largest number of reads of the queue in one try. */
    private static final int SCANS_MAX = 50;
    /** If a try took longer than this, the next try claims fewer jobs, so that it ends within five seconds. */
    private static final Duration SLOW = Duration.ofSeconds(2);

    /** The largest number of turns to skip: each of them may start its jobs later than others behind it. */
    private static final int TURNS_SKIPPED_MAX = 200;

    /** The number of limit keys that may have tokens of which a claim admits the jobs of some. */
    private static final int DUE_WAITS_MAX = 100;
    /** For how many of them it does so. */
    private static final int ADMITTED_WAITS_MAX = 10;

    private static final Duration UNWATCHED_RULES_PAUSE = Duration.ofSeconds(30);

    private final TypeKeys keys;
    private final Environment environment;
    private final InstantSource clock;
    private final ClaimWriter<D> writer;
    private final CandidateSelector selector;
    private final QueueClearing queueClearing = new QueueClearing();
    private final Leadership leadership;
    private final Admission admission;
    private final LayoutRow layoutRow;
    /** The allowance of the last claim, from which the next one expects its own. */
    private volatile Allowance lastAllowance = Allowance.UNLIMITED;
    /** The shard of the limit of the type that the next claim uses if it can: most claims then meet no others there. */
    private volatile int homeShard;
    /** How many jobs may be claimed ahead of their start, by what the last claim has left of its allowance. */
    private volatile int prefetchMax = Integer.MAX_VALUE;
    /** Adapts to conflicts over turns. */
    private final SkipDistance turnSkipDistance = new SkipDistance();
    /** Whether jobs of the instance have had turn keys, as far as this process knows. */
    private volatile boolean mayHaveTurns;
    /** Whether there were turns when the last claim read them. */
    private volatile boolean hadTurns;
    /** The turn key behind which the next claim reads requests. */
    private volatile @Nullable String requestsAfter;

    JobClaimer(JobType<D, ?> type, Instance instance) {
        this.keys = instance.keyspace().type(type.name());
        this.layoutRow = new LayoutRow(instance.keyspace());
        this.environment = instance.environment();
        this.clock = instance.clock();
        this.writer = new ClaimWriter<>(type, instance);
        this.selector = new CandidateSelector(keys, environment.random());
        this.admission = new Admission(environment);
        this.leadership = new Leadership(keys, environment.random());
        this.homeShard = instance.name().hashCode();
    }

    /**
     * The result of one read of the queue.
     *
     * @param scanAgain whether stale rows were cleared, so that another read may find more jobs
     */
    private record QueueScan<D>(List<GrantedClaim<D>> jobs, boolean scanAgain) {}

    /**
     * The turn keys whose first candidate is a suspect. A claim takes no other job of such a key: the key keeps its
     * turn until the suspect is the first candidate of all, and so is claimed alone.
     */
    private record KeysOfSuspects(Set<String> keys) {
        boolean isFree(ClaimCriteria criteria, JobRow job) {
            String key = job.options().turnKey();
            if (key == null || criteria.workStart() == WorkStart.WITH_CLAIM) {
                return true;
            }
            return job.claimInfo().isSuspect() ? keys.add(key) : !keys.contains(key);
        }
    }

    /** One claim, with all tries of its transaction. */
    final class ClaimTransaction {
        private final Map<ClaimCriteria, Integer> demands;
        private final Map<ClaimCriteria, List<Optional<String>>> names = new HashMap<>();
        private final boolean mayWatch;
        /** How many jobs this try has claimed, by criteria. */
        private final Map<ClaimCriteria, Integer> claimed = new ConcurrentHashMap<>();
        /** The claims that earlier tries, one of which may have committed, have written: by criteria and job id. */
        private final Map<ClaimCriteria, Map<String, ClaimWriter.TriedClaim>> triedClaims = new LinkedHashMap<>();

        private final long token = environment.random().nextLong();
        private final TokenSearch earlierTries = new TokenSearch(keys, token);
        private boolean isRetry;
        /** When the last try got its read version: FoundationDB limits a transaction to five seconds from then on. */
        private volatile Optional<Instant> readVersionAt = Optional.empty();
        /** How many jobs the last try would have claimed. */
        private volatile int triedCount;

        /** The role of this process before the next try, as far as it knows. */
        private volatile Leadership.Role role;

        private volatile boolean scansExhausted;
        /** Whether this try moves or ends jobs, which may admit others: another claim must follow at once. */
        private volatile boolean mayAdmitJobs;
        /** How many jobs this try may claim, as far as it knows. */
        private final AtomicInteger allowed = new AtomicInteger();
        /** The jobs with limit keys that this try has ended. The end of the verb needs and clears their rows. */
        private final Set<String> endedLimited = ConcurrentHashMap.newKeySet(0);
        /** Whether this try leaves candidates unclaimed. */
        private volatile boolean leavesCandidates;
        /** Whether this try has learned too late that there may be turns. */
        private volatile boolean missesTurns;

        /** Whether this try has put jobs back, or admitted jobs for tokens: two claims that do so conflict. */
        private volatile boolean hasMoved;
        /** Whether this try leaves that to other processes. */
        private volatile boolean leavesMoves;
        /** Whether this try has left something to move. */
        private volatile boolean hasLeftMoves;
        /** Whether this try has started jobs of limit keys with rates: two claims that do so conflict. */
        private volatile boolean hasUsedTokens;

        /** Whether there may be more jobs without turn keys than this try has read. */
        private volatile boolean leavesOthers;

        private volatile Turns turns = new Turns(keys, environment.random(), 0, null);
        /** How many turns the next try may skip. */
        private volatile int turnSkip;

        /**
         * @param demands how many jobs to claim at most, by criteria
         * @param names what the claims name in place of this instance, in the order in which they are delivered
         * @param role the role of this process
         * @param mayWatch whether this process may watch for new jobs if it finds none
         */
        ClaimTransaction(
                Map<ClaimCriteria, Integer> demands,
                BiFunction<ClaimCriteria, Integer, List<Optional<String>>> names,
                Leadership.Role role,
                boolean mayWatch) {
            this.demands = new LinkedHashMap<>(demands);
            demands.forEach((criteria, demand) -> this.names.put(criteria, names.apply(criteria, demand)));
            this.mayWatch = mayWatch;
            this.role = role;
        }

        /** The search for an earlier try whose result is unknown. */
        TokenSearch earlierTries() {
            return earlierTries;
        }

        /** Whether this process is one of those that elect a leader to watch for jobs. */
        boolean electsLeader() {
            return mayWatch && demands.keySet().stream().allMatch(ClaimCriteria::electsLeader);
        }

        /**
         * Runs one try. The demand is halved after a slow try, which may have exceeded the time limit of a transaction,
         * and after a conflict in a short queue, in which all processes try to claim the same jobs.
         */
        CompletableFuture<ClaimResult<D>> runTry(Transaction tx, BatchSize.Tries tries) {
            Instant now = environment.clock().instant();
            boolean wasSlow = readVersionAt
                    .filter(start -> Duration.between(start, now).compareTo(SLOW) > 0)
                    .isPresent();
            if (isRetry) {
                prepareRetry(wasSlow);
            } else {
                selector.beginClaim(now);
                turnSkipDistance.shrink();
                queueClearing.beginClaim();
            }
            isRetry = true;
            readVersionAt = Optional.empty();
            triedCount = 0;
            return wasSlow ? tries.next(size -> claim(tx)) : tries.nextOfSameSize(size -> claim(tx));
        }

        /**
         * Adapts to the failure of the last try. If it would have claimed jobs and was not slow, it was a conflict with
         * another claim, unless a range of the queue may have conflicted with a job that was added.
         */
        private void prepareRetry(boolean wasSlow) {
            boolean mayBeOverRange = queueClearing.retry();
            boolean wasOverLimits = lastAllowance.isSerial() || hasMoved || hasUsedTokens;
            boolean wasConflict = triedCount > 0 && !wasSlow && !mayBeOverRange && !wasOverLimits;
            leavesMoves |= hasMoved;
            turnSkip = 0;
            if (wasConflict && turns.hasStarted()) {
                turnSkipDistance.grow(triedCount);
                turnSkip = Math.min(TURNS_SKIPPED_MAX, turnSkipDistance.rows());
            }
            if (wasSlow || (wasConflict && !turns.hasStarted() && !selector.hasSurplus())) {
                demands.replaceAll((criteria, demand) -> Math.max(1, demand / 2));
            }
            if (wasConflict) {
                homeShard = lastAllowance.isLimited() ? environment.random().nextInt(LimitShards.MAX) : homeShard;
                selector.retryAfterConflict();
            } else {
                selector.retry();
            }
        }

        private CompletableFuture<ClaimResult<D>> claim(Transaction tx) {
            return tx.getReadVersion()
                    .thenCompose(version -> {
                        readVersionAt = Optional.of(environment.clock().instant());
                        return earlierTries.hasCommitted(tx);
                    })
                    .thenCompose(hasCommitted -> hasCommitted ? findEarlierClaims(tx) : claimNew(tx));
        }

        private CompletableFuture<ClaimResult<D>> findEarlierClaims(Transaction tx) {
            Map<ClaimCriteria, CompletableFuture<List<GrantedClaim<D>>>> reads = new LinkedHashMap<>();
            triedClaims.forEach((criteria, claims) -> {
                List<CompletableFuture<Optional<GrantedClaim<D>>>> jobs = new ArrayList<>();
                claims.forEach((jobId, triedClaim) -> jobs.add(writer.heldBy(tx, jobId, triedClaim)));
                reads.put(criteria, joinPresent(jobs));
            });
            return byCriteria(reads).thenApply(jobs -> new ClaimResult<>(jobs, Set.of(), role.afterUnknownResult()));
        }

        private CompletableFuture<ClaimResult<D>> claimNew(Transaction tx) {
            scansExhausted = false;
            mayAdmitJobs = false;
            claimed.clear();
            endedLimited.clear();
            leavesCandidates = false;
            missesTurns = false;
            hasMoved = false;
            hasLeftMoves = false;
            hasUsedTokens = false;
            leavesOthers = false;
            turns = new Turns(keys, environment.random(), turnSkip, requestsAfter);
            long now = clock.instant().getEpochSecond();
            Leadership.RoleTransaction transaction = leadership.new RoleTransaction(tx, role);
            allowed.set(Integer.MAX_VALUE);
            CompletableFuture<Allowance> allowance = Allowance.read(
                            tx,
                            keys,
                            layoutRow,
                            lastAllowance.hasRules(),
                            new Allowance.Home(homeShard, environment.random()))
                    .thenApply(read -> {
                        allowed.set(read.jobs());
                        lastAllowance = read;
                        return read;
                    });
            Map<ClaimCriteria, CompletableFuture<List<GrantedClaim<D>>>> claims = new LinkedHashMap<>();
            // The queue is read at the same time, unless that depends on how many jobs are allowed.
            CompletableFuture<?> previousClaims =
                    lastAllowance.isLimited() ? allowance : CompletableFuture.completedFuture(claims);
            CompletableFuture<List<TokenWaits>> waits = allowance.thenCompose(read -> read.hasRatedKeys()
                    ? TokenWaits.due(tx, keys, DUE_WAITS_MAX)
                    : CompletableFuture.completedFuture(List.of()));
            for (Map.Entry<ClaimCriteria, Integer> demand : demands.entrySet()) {
                // One after the other: in parallel, claims by different criteria could claim the same job.
                CompletableFuture<List<GrantedClaim<D>>> nextClaims =
                        previousClaims.thenCompose(done -> claimCandidates(
                                tx, transaction, allowance, demand.getKey(), now, demand.getValue(), SCANS_MAX));
                claims.put(demand.getKey(), nextClaims);
                previousClaims = nextClaims;
            }
            return byCriteria(claims).thenCompose(jobs -> {
                turns.settle(tx);
                requestsAfter = turns.nextRequestsAfter();
                return allowance.thenCompose(read -> waits.thenCompose(due -> admitForTokens(tx, due, jobs))
                        .thenCompose(done -> complete(tx, transaction, jobs, read, now)));
            });
        }

        /**
         * Admits jobs of limit keys that may have tokens again. Two claims that do so for one key conflict, so a try
         * that follows does it only if it claims no job.
         */
        private CompletableFuture<?> admitForTokens(
                Transaction tx, List<TokenWaits> due, Map<ClaimCriteria, List<GrantedClaim<D>>> jobs) {
            boolean claims = jobs.values().stream().anyMatch(claimed -> !claimed.isEmpty());
            if (due.isEmpty() || allowed.get() == 0 || (leavesMoves && claims)) {
                hasLeftMoves |= !due.isEmpty();
                return CompletableFuture.completedFuture(due);
            }
            hasMoved = true;
            List<TokenWaits> some = new ArrayList<>(due);
            Collections.rotate(some, environment.random().nextInt(due.size()));
            return allOf(some.stream()
                    .limit(ADMITTED_WAITS_MAX)
                    .map(wait -> admission.admitForTokens(tx, keys, wait))
                    .toList());
        }

        private CompletableFuture<ClaimResult<D>> complete(
                Transaction tx,
                Leadership.RoleTransaction transaction,
                Map<ClaimCriteria, List<GrantedClaim<D>>> jobs,
                Allowance allowance,
                long now) {
            triedCount = jobs.values().stream().mapToInt(List::size).sum();
            allowance.use(tx, keys, triedCount);
            prefetchMax = allowance.prefetchMax(triedCount);
            if (allowance.isPaused()) {
                return waitForResumption(tx, transaction, allowance);
            }
            boolean isShareUsedUp = allowed.get() == 0;
            boolean isUsedUp = isShareUsedUp && !allowance.leavesAny(triedCount);
            if (isUsedUp && triedCount == 0) {
                return changeRoleWhenIdle(transaction, change -> watchAllowance(tx, change, allowance));
            }
            boolean isMoreToClaim = scansExhausted
                    || (isShareUsedUp && triedCount < demanded())
                    || mayAdmitJobs
                    || hasMoved
                    || hasLeftMoves
                    || missesTurns
                    || leavesOthers()
                    || continuesTurns();
            if (isMoreToClaim && !isUsedUp) {
                return CompletableFuture.completedFuture(new ClaimResult<>(jobs, Set.of(), role));
            }
            Set<ClaimCriteria> exhausted = new LinkedHashSet<>();
            jobs.forEach((criteria, claimed) -> {
                if (isUsedUp || claimed.size() < demands.getOrDefault(criteria, 0)) {
                    exhausted.add(criteria);
                }
            });
            ClaimResult<D> claimResult = new ClaimResult<>(jobs, exhausted, role);
            return claimResult.isEmpty()
                    ? changeRoleWhenIdle(transaction, change -> armWatch(tx, change, now))
                    : changeRoleAfterClaim(transaction, claimResult);
        }

        /** A try that has changed turns without a claim arms no watch: it would conflict with every enqueue. */
        private boolean continuesTurns() {
            return triedCount < demanded() && turns.hasProgressed() && (turns.mayHaveMore() || triedCount == 0);
        }

        private boolean leavesOthers() {
            return leavesOthers && triedCount > 0 && triedCount < demanded();
        }

        private int demanded() {
            return demands.values().stream().mapToInt(Integer::intValue).sum();
        }

        /** A process that waits for the end of a pause neither watches for new jobs nor follows one that does. */
        private CompletableFuture<ClaimResult<D>> waitForResumption(
                Transaction tx, Leadership.RoleTransaction transaction, Allowance allowance) {
            CompletableFuture<Void> resumed = mayWatch ? allowance.watch(tx, keys) : new CompletableFuture<>();
            CompletableFuture<Leadership.Role> resigned = role.isRegistered()
                    ? transaction.resign().thenApply(Leadership.RoleChange::role)
                    : CompletableFuture.completedFuture(role);
            return resigned.thenApply(
                    newRole -> pausedIfUnwatched(ClaimResult.idle(demands.keySet(), newRole, resumed)));
        }

        /** Waits until the rules of the type allow another job. */
        private CompletableFuture<ClaimResult<D>> watchAllowance(
                Transaction tx, Leadership.RoleChange roleChange, Allowance allowance) {
            CompletableFuture<Void> more = mayWatch ? allowance.watch(tx, keys) : new CompletableFuture<>();
            ClaimResult<D> idle = ClaimResult.idle(demands.keySet(), roleChange.role(), orWokenUp(more, roleChange));
            return CompletableFuture.completedFuture(
                    allowance.untilNext().map(idle::pausedAtMost).orElseGet(() -> pausedIfUnwatched(idle)));
        }

        /** A process that may not watch looks again after a while, whether the type is in use or not. */
        private ClaimResult<D> pausedIfUnwatched(ClaimResult<D> idle) {
            return mayWatch ? idle : idle.pausedAtMost(UNWATCHED_RULES_PAUSE);
        }

        private CompletableFuture<Void> orWokenUp(CompletableFuture<Void> watch, Leadership.RoleChange roleChange) {
            return roleChange
                    .wakeUp()
                    .map(wakeUp -> Pause.firstOf(watch, wakeUp))
                    .orElse(watch);
        }

        private CompletableFuture<ClaimResult<D>> changeRoleAfterClaim(
                Leadership.RoleTransaction transaction, ClaimResult<D> claimResult) {
            boolean hasCapacity = claimResult.exhausted().containsAll(demands.keySet()) && !leavesCandidates;
            return changeRole(transaction, role, () -> transaction.onClaim(hasCapacity))
                    .thenApply(claimResult::with);
        }

        /** @param watch arms the watches of a process that is no follower */
        private CompletableFuture<ClaimResult<D>> changeRoleWhenIdle(
                Leadership.RoleTransaction transaction,
                Function<Leadership.RoleChange, CompletableFuture<ClaimResult<D>>> watch) {
            Leadership.Role before = role;
            if (electsLeader()) {
                role = Leadership.Role.FOLLOWER; // this try may register the process and yet fail
            }
            return changeRole(transaction, before, transaction::onIdle)
                    .thenCompose(roleChange -> roleChange.role() == Leadership.Role.FOLLOWER
                            ? CompletableFuture.completedFuture(
                                    new ClaimResult<D>(Map.of(), demands.keySet(), before).with(roleChange))
                            : watch.apply(roleChange));
        }

        /** Applies a change of the role; a process that does not elect a leader resigns instead. */
        private CompletableFuture<Leadership.RoleChange> changeRole(
                Leadership.RoleTransaction transaction,
                Leadership.Role before,
                Supplier<CompletableFuture<Leadership.RoleChange>> change) {
            if (electsLeader()) {
                return change.get();
            }
            return before.isRegistered()
                    ? transaction.resign()
                    : CompletableFuture.completedFuture(Leadership.RoleChange.of(before));
        }

        /**
         * Claims jobs. Stale rows, which match no pending job, are cleared, jobs that have not begun by their deadlines
         * are ended, and the queue is read again. After the last
         * of these reads the claim ends; the next claim continues from there.
         */
        private CompletableFuture<List<GrantedClaim<D>>> claimCandidates(
                Transaction tx,
                Leadership.RoleTransaction transaction,
                CompletableFuture<Allowance> allowance,
                ClaimCriteria criteria,
                long now,
                int demand,
                int scansLeft) {
            if (allowed.get() == 0) {
                return CompletableFuture.completedFuture(List.of());
            }
            CompletableFuture<CandidateSelector.Selection> select =
                    select(tx, criteria, now, Math.min(demand, allowed.get()));
            return select.thenCombine(allowance, (selected, read) -> selected.limitedTo(allowed.get()))
                    .thenCompose(selection -> {
                        if (allowed.get() == 0) {
                            return CompletableFuture.completedFuture(List.of());
                        }
                        if (!selection.candidates().isEmpty() && electsLeader()) {
                            transaction.prefetch(selection.candidates().size() < demand);
                        }
                        return claimSelected(tx, allowance, criteria, selection).thenCompose(queueScan -> {
                            if (!queueScan.scanAgain()) {
                                return CompletableFuture.completedFuture(queueScan.jobs());
                            }
                            if (scansLeft == 1) {
                                scansExhausted = true;
                                return CompletableFuture.completedFuture(queueScan.jobs());
                            }
                            return claimCandidates(
                                            tx,
                                            transaction,
                                            allowance,
                                            criteria,
                                            now,
                                            demand - queueScan.jobs().size(),
                                            scansLeft - 1)
                                    .thenApply(furtherJobs -> concat(queueScan.jobs(), furtherJobs));
                        });
                    });
        }

        /** Most instances have no turn keys, which the layout says: it is read in any case. */
        private CompletableFuture<CandidateSelector.Selection> select(
                Transaction tx, ClaimCriteria criteria, long now, int demand) {
            if (!mayHaveTurns) {
                return selector.select(tx, criteria, now, demand)
                        .thenCombine(layoutRow.checkedBy(tx), (selection, layout) -> {
                            mayHaveTurns = layout.mayUse(Feature.TURN_KEYS);
                            missesTurns = mayHaveTurns;
                            return selection;
                        });
            }
            CompletableFuture<Integer> count = turns.read(tx, demand);
            // The queues are read at the same time, unless that depends on how many turns there are.
            Optional<CompletableFuture<CandidateSelector.Selection>> allOthers =
                    hadTurns ? Optional.empty() : Optional.of(selector.select(tx, criteria, now, demand));
            return count.thenCompose(found -> {
                hadTurns = found > 0;
                if (found == 0) {
                    return allOthers.orElseGet(() -> selector.select(tx, criteria, now, demand));
                }
                int share = turns.shareOfOthers(demand, found);
                CompletableFuture<CandidateSelector.Selection> others =
                        allOthers.orElseGet(() -> selector.select(tx, criteria, now, Math.max(1, share)));
                return others.thenCombine(
                        turns.select(tx, criteria, now, demand),
                        (selection, inTurn) -> joined(selection, inTurn, share, demand));
            });
        }

        /** Jobs without turn keys, up to their share or as many as there are in place of others, and jobs with them. */
        private CandidateSelector.Selection joined(
                CandidateSelector.Selection others, List<QueueEntry> inTurn, int share, int demand) {
            int othersMax = Math.max(share, demand - inTurn.size());
            leavesOthers |= others.candidates().size() >= Math.max(1, share);
            List<QueueEntry> first =
                    others.candidates().stream().limit(othersMax).toList();
            if (first.size() < others.candidates().size()) {
                selector.retry(); // the rest is left in the queue
            }
            List<QueueEntry> second =
                    inTurn.stream().limit(demand - first.size()).toList();
            boolean isInTurnFirst = environment.random().nextBoolean(); // a suspect is claimed when it is first
            return others.with(isInTurnFirst ? concat(second, first) : concat(first, second));
        }

        private CompletableFuture<QueueScan<D>> claimSelected(
                Transaction tx,
                CompletableFuture<Allowance> allowance,
                ClaimCriteria criteria,
                CandidateSelector.Selection selection) {
            int candidateCount = selection.candidates().size();
            List<QueueEntry> rows = Stream.concat(selection.candidates().stream(), selection.moves().stream())
                    .toList();
            List<JobRef> refs =
                    rows.stream().map(row -> writer.ref(row.jobId())).toList();
            CompletableFuture<List<Optional<JobRow>>> read = JobTable.findAll(tx, refs);
            CompletableFuture<?> prefetched = rows.stream().anyMatch(row -> row.scheduledTime() > 0)
                    ? TypeInUse.prefetch(tx, keys)
                    : CompletableFuture.completedFuture(tx);
            CompletableFuture<HeldCandidates> readHeld = read.thenCompose(
                    jobs -> allowance.thenCompose(rules -> HeldCandidates.read(tx, keys, rules, jobs)));
            return CompletableFuture.allOf(readHeld, prefetched).thenCompose(done -> {
                List<Optional<JobRow>> jobs = read.join();
                HeldCandidates held = readHeld.join();
                Map<String, JobRow> candidateJobs = new LinkedHashMap<>();
                Map<String, QueueEntry> candidateRows = new HashMap<>();
                Set<String> cleared = new HashSet<>(0);
                KeysOfSuspects keysOfSuspects = new KeysOfSuspects(new HashSet<>(0));
                boolean hasCleared = false;
                List<RowChange> moves = new ArrayList<>();
                Map<JobRef, JobRow> late = new LinkedHashMap<>(0);
                long millis = clock.millis();
                Map<String, ClaimWriter.TriedClaim> claimsByJobId =
                        triedClaims.computeIfAbsent(criteria, unused -> new LinkedHashMap<>());
                for (int i = 0; i < rows.size(); i++) {
                    QueueEntry row = rows.get(i);
                    JobRef ref = refs.get(i);
                    Optional<JobRow> pendingJob = jobs.get(i).filter(job -> row.matches(ref, job));
                    if (endedLimited.contains(row.jobId())) {
                        continue;
                    }
                    if (pendingJob.isEmpty()) {
                        row.clear(tx);
                        cleared.add(row.jobId());
                        hasCleared |= i < candidateCount;
                    } else if (pendingJob.get().isLate(millis)) {
                        late.put(ref, pendingJob.get());
                        cleared.add(row.jobId());
                        hasCleared |= i < candidateCount;
                        if (pendingJob.get().options().limitKey() != null) {
                            endedLimited.add(row.jobId());
                        }
                    } else if (i < candidateCount && !needsAdmission(row, pendingJob.get())) {
                        JobRow job = pendingJob.get();
                        boolean mayBeClaimed = !held.isPaused(job);
                        if (mayBeClaimed && !keysOfSuspects.isFree(criteria, job)) {
                            continue;
                        }
                        if (mayBeClaimed && held.mayStart(job)) {
                            candidateJobs.put(row.jobId(), job);
                            candidateRows.put(row.jobId(), row);
                        } else {
                            held.add(row, ref, job);
                        }
                    } else if (mayMove(row, pendingJob.get())) {
                        JobRow before = pendingJob.get();
                        mayAdmitJobs |= needsAdmission(row, before);
                        moves.add(new RowChange(ref, before, before.dueNow()));
                    }
                }
                JobTransaction.of(tx).saveAll(moves);
                mayAdmitJobs |= !late.isEmpty();
                boolean hasClearedCandidates = hasCleared;
                List<RowChange> planned = writer.planClaims(
                        criteria, candidateJobs, allowance.join().shard());
                hasUsedTokens |= held.start(tx, planned) > 0;
                return writer.endLate(tx, late)
                        .thenCompose(ended -> putBack(tx, held, rows, !planned.isEmpty()))
                        .thenCompose(putBack -> {
                            cleared.addAll(putBack);
                            List<RowChange> claims =
                                    named(criteria, queueClearing.clearRanges(tx, candidateRows, planned));
                            allowed.addAndGet(-claims.size());
                            turns.record(claims, cleared);
                            leavesCandidates |= claims.size() < candidateJobs.size();
                            boolean scanAgain = hasClearedCandidates
                                    && endedLimited.isEmpty()
                                    && claims.size() == candidateJobs.size();
                            List<CompletableFuture<GrantedClaim<D>>> written =
                                    writer.write(tx, token, claims, claimsByJobId);
                            return writer.addFollowing(tx, claims)
                                    .thenCompose(added -> joinAll(written))
                                    .thenApply(claimed -> new QueueScan<>(claimed, scanAgain));
                        });
            });
        }

        /** {@return claims with the names that their calls gave} They are delivered in this order. */
        private List<RowChange> named(ClaimCriteria criteria, List<RowChange> claims) {
            int before = claimed.getOrDefault(criteria, 0);
            claimed.put(criteria, before + claims.size());
            List<Optional<String>> all = names.getOrDefault(criteria, List.of());
            if (all.isEmpty()) {
                return claims;
            }
            List<RowChange> named = new ArrayList<>(claims.size());
            for (int i = 0; i < claims.size(); i++) {
                RowChange claim = claims.get(i);
                Optional<String> name = all.get(before + i);
                named.add(name.map(claim::claimedBy).orElse(claim));
            }
            return named;
        }

        /**
         * Puts jobs back that may not start. Two claims that do so for one key conflict, so a try that follows claims
         * other jobs if it finds some.
         *
         * @return the ids of the jobs that were put back
         */
        private CompletableFuture<Set<String>> putBack(
                Transaction tx, HeldCandidates held, List<QueueEntry> rows, boolean findsOthers) {
            if (held.isEmpty()) {
                return CompletableFuture.completedFuture(Set.of());
            }
            boolean leaves = leavesMoves && findsOthers;
            hasLeftMoves |= leaves;
            hasMoved |= !leaves;
            Set<String> selected = rows.stream().map(QueueEntry::jobId).collect(Collectors.toSet());
            return leaves ? CompletableFuture.completedFuture(Set.of()) : held.putBack(tx, selected, writer::ref);
        }

        /** No job with a turn key is in the turn part before its time, whatever times the criteria accept. */
        private boolean mayMove(QueueEntry row, JobRow job) {
            return job.options().turnKey() == null
                    || row.scheduledTime() <= clock.instant().getEpochSecond();
        }

        /** A job with a limit key or a turn key is in the later part until a claim finds that its time has come. */
        private static boolean needsAdmission(QueueEntry row, JobRow job) {
            return !row.isDue() && job.options().movesWhenDue();
        }

        /**
         * Arms the watch for new jobs. A watch reads its key, so a transaction with a claim arms none: the claim would
         * conflict with every enqueue.
         */
        private CompletableFuture<ClaimResult<D>> armWatch(Transaction tx, Leadership.RoleChange roleChange, long now) {
            CompletableFuture<Void> newJob = mayWatch ? tx.watch(keys.watchesPending()) : new CompletableFuture<>();
            CompletableFuture<Void> watch = orWokenUp(newJob, roleChange);
            List<CompletableFuture<OptionalLong>> dueTimes = demands.keySet().stream()
                    .map(criteria -> selector.nextDue(tx, criteria, now))
                    .toList();
            CompletableFuture<Optional<Duration>> untilToken = untilToken(tx);
            return CompletableFuture.allOf(allOf(dueTimes), untilToken).thenApply(done -> {
                OptionalLong nextDue = Stream.concat(
                                dueTimes.stream().map(CompletableFuture::join), Stream.of(turns.nextDue(now)))
                        .flatMapToLong(OptionalLong::stream)
                        .min();
                ClaimResult<D> idle = ClaimResult.<D>idle(demands.keySet(), roleChange.role(), watch)
                        .dueAt(nextDue);
                return untilToken.join().map(idle::pausedAtMost).orElse(idle);
            });
        }

        /** {@return the time until the first token of a limit key whose jobs wait for one} */
        private CompletableFuture<Optional<Duration>> untilToken(Transaction tx) {
            return !lastAllowance.hasRatedKeys()
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : TokenWaits.first(tx, keys)
                            .thenCombine(
                                    tx.getReadVersion(),
                                    (first, version) -> first.stream()
                                            .map(wait -> Duration.of(
                                                    Math.max(1, wait.version() - version), ChronoUnit.MICROS))
                                            .findFirst());
        }

        private CompletableFuture<Map<ClaimCriteria, List<GrantedClaim<D>>>> byCriteria(
                Map<ClaimCriteria, CompletableFuture<List<GrantedClaim<D>>>> claims) {
            return allOf(claims.values()).thenApply(done -> {
                Map<ClaimCriteria, List<GrantedClaim<D>>> jobs = new LinkedHashMap<>();
                claims.forEach((criteria, claimed) -> jobs.put(criteria, claimed.join()));
                return jobs;
            });
        }
    }

    /** {@return how many jobs this process may claim ahead of their start, by what the last claim has read} */
    int prefetchMax() {
        return prefetchMax;
    }

    /** Resigns, because this process claims no more jobs for now. */
    CompletableFuture<Leadership.Role> resign(Transaction tx, Leadership.Role role) {
        return leadership.new RoleTransaction(tx, role).resign().thenApply(Leadership.RoleChange::role);
    }

    private static <T> CompletableFuture<List<T>> joinPresent(List<CompletableFuture<Optional<T>>> futures) {
        return allOf(futures)
                .thenApply(done -> futures.stream()
                        .flatMap(future -> future.join().stream())
                        .toList());
    }

    private static <T> CompletableFuture<List<T>> joinAll(List<CompletableFuture<T>> futures) {
        return allOf(futures)
                .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
    }

    private static <T> List<T> concat(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private static CompletableFuture<Void> allOf(Collection<? extends CompletableFuture<?>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new));
    }
}
