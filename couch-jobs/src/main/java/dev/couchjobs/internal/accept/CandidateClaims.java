package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.idle.Leadership;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.limits.Allowance;
import dev.couchjobs.internal.limits.HeldCandidates;
import dev.couchjobs.internal.queue.QueueEntry;
import dev.couchjobs.internal.queue.QueueSource;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.turns.TurnSource;
import dev.couchjobs.internal.types.TypeInUse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Selects candidates from the queues and claims them, in one try of a transaction. */
final class CandidateClaims<D> {
    /** The largest number of reads of the queue in one try. */
    private static final int READS_MAX = 50;
    /** How many bytes of data the jobs have that one try claims, unless it claims one job: it loads them all. */
    private static final long BYTES_MAX = 8_000_000;

    private final ClaimParts<D> parts;
    private final ClaimDemand demand;
    private final TriedClaims<D> tried;
    private final TurnSource.Try turns;
    private final Transaction tx;
    private final long now;
    /** Whether this try leaves it to other processes to put jobs back, if it claims others. */
    private final boolean avoidsMoves;
    /** Jobs that this transaction has ended or put back. */
    private final Set<JobRef> ended;

    /** How many jobs this try may still claim, as far as it knows. */
    private final AtomicInteger allowed = new AtomicInteger(Integer.MAX_VALUE);
    /** How many jobs this try has claimed, by criteria. */
    private final Map<ClaimCriteria, Integer> claimed = new ConcurrentHashMap<>();

    private final Set<String> endedLimited = ConcurrentHashMap.newKeySet(0);
    /** Whether jobs that waited for slots or tokens have been admitted to the queue. */
    private CompletableFuture<Boolean> admission = CompletableFuture.completedFuture(false);

    private boolean expectsAdmission;

    private long bytesLeft = BYTES_MAX;
    /** Whether the next claim may find jobs at once: this try has read more than it may claim, or has moved jobs. */
    private volatile boolean leavesJobs;
    /** Whether there may be more jobs without turn keys than this try has read. */
    private volatile boolean leavesOthers;
    /** Whether this try leaves candidates unclaimed. */
    private volatile boolean leavesCandidates;

    private final Set<Contention> contention = Collections.synchronizedSet(EnumSet.noneOf(Contention.class));

    CandidateClaims(
            ClaimParts<D> parts,
            ClaimDemand demand,
            TriedClaims<D> tried,
            TurnSource.Try turns,
            Transaction tx,
            long now,
            boolean avoidsMoves,
            Set<JobRef> ended) {
        this.parts = parts;
        this.demand = demand;
        this.tried = tried;
        this.turns = turns;
        this.tx = tx;
        this.now = now;
        this.avoidsMoves = avoidsMoves;
        this.ended = ended;
    }

    /**
     * The result of one read of the queue.
     *
     * @param readAgain whether stale rows were cleared, so that another read may find more jobs
     */
    private record QueueRead<D>(List<GrantedClaim<D>> jobs, boolean readAgain) {}

    void allow(int jobs) {
        allowed.set(jobs);
    }

    /** {@return the turns, if this try reads some} */
    CompletableFuture<?> turnsRead() {
        return turns.areRead() ? turns.read(demand.total()) : CompletableFuture.completedFuture(turns);
    }

    /**
     * Lets jobs be admitted to the queue before some are claimed.
     *
     * @param isExpected whether some will probably be admitted
     */
    void awaitAdmission(CompletableFuture<Boolean> hasAdmitted, boolean isExpected) {
        admission = hasAdmitted;
        expectsAdmission = isExpected;
    }

    /** {@return whether this try has used up what it may claim} */
    boolean isAllowanceUsedUp() {
        return allowed.get() == 0;
    }

    /** {@return whether the next claim may find jobs at once} */
    boolean leavesJobs() {
        return leavesJobs;
    }

    /** {@return whether there may be more jobs without turn keys than this try has read} */
    boolean leavesOthers() {
        return leavesOthers;
    }

    /** {@return whether this try leaves candidates unclaimed} */
    boolean leavesCandidates() {
        return leavesCandidates;
    }

    /** {@return over what two claims that do what this try has done conflict} */
    Set<Contention> contention() {
        return contention;
    }

    /**
     * Claims jobs. Stale rows, which match no pending job, are cleared, jobs that have not begun by their deadlines are
     * ended, and the queue is read again. After the last of these reads the claim ends; the next claim continues from
     * there.
     */
    CompletableFuture<List<GrantedClaim<D>>> claim(
            Leadership.RoleTransaction roleTransaction,
            CompletableFuture<Allowance> allowance,
            ClaimCriteria criteria) {
        return claim(roleTransaction, allowance, criteria, demand.jobsFor(criteria), READS_MAX);
    }

    private CompletableFuture<List<GrantedClaim<D>>> claim(
            Leadership.RoleTransaction roleTransaction,
            CompletableFuture<Allowance> allowance,
            ClaimCriteria criteria,
            int jobsMax,
            int readsLeft) {
        if (isAllowanceUsedUp()) {
            return CompletableFuture.completedFuture(List.of());
        }
        return selectWithAdmitted(criteria, Math.min(jobsMax, allowed.get()))
                .thenCombine(
                        allowance, (selected, read) -> withoutEnded(selected).limitedTo(allowed.get()))
                .thenCompose(selection -> {
                    if (isAllowanceUsedUp()) {
                        return CompletableFuture.completedFuture(List.of());
                    }
                    if (!selection.candidates().isEmpty() && demand.electsLeader()) {
                        roleTransaction.prefetch(selection.candidates().size() < jobsMax);
                    }
                    return claimSelected(allowance, criteria, selection).thenCompose(read -> {
                        if (!read.readAgain()) {
                            return CompletableFuture.completedFuture(read.jobs());
                        }
                        if (readsLeft == 1) {
                            leavesJobs = true; // rows were stale even after the last of the reads
                            return CompletableFuture.completedFuture(read.jobs());
                        }
                        int rest = jobsMax - read.jobs().size();
                        return claim(roleTransaction, allowance, criteria, rest, readsLeft - 1)
                                .thenApply(further -> concat(read.jobs(), further));
                    });
                });
    }

    /** The queues are read while it is not known whether jobs will be admitted, and again if some are. */
    private CompletableFuture<QueueSource.Selection> selectWithAdmitted(ClaimCriteria criteria, int jobsMax) {
        return admission.isDone() || expectsAdmission
                ? admission.thenCompose(hasAdmitted -> select(criteria, jobsMax))
                : select(criteria, jobsMax)
                        .thenCompose(selection -> admission.thenCompose(hasAdmitted -> hasAdmitted
                                ? select(criteria, jobsMax)
                                : CompletableFuture.completedFuture(selection)));
    }

    /** Most instances have no turn keys, which the layout says: it is read in any case. */
    private CompletableFuture<QueueSource.Selection> select(ClaimCriteria criteria, int jobsMax) {
        if (!turns.areRead()) {
            return selectOthers(criteria, jobsMax).thenCombine(parts.layoutRow.checkedBy(tx), (selection, layout) -> {
                leavesJobs |= turns.mayBeThere(layout); // this try does not read them
                return selection;
            });
        }
        CompletableFuture<Integer> count = turns.read(jobsMax);
        // The queues are read at the same time, unless that depends on how many turns there are.
        Optional<CompletableFuture<QueueSource.Selection>> allOthers =
                turns.areExpected() ? Optional.empty() : Optional.of(selectOthers(criteria, jobsMax));
        return count.thenCompose(found -> {
            if (found == 0) {
                return allOthers.orElseGet(() -> selectOthers(criteria, jobsMax));
            }
            int share = turns.shareOfOthers(jobsMax, found);
            CompletableFuture<QueueSource.Selection> others =
                    allOthers.orElseGet(() -> selectOthers(criteria, Math.max(1, share)));
            return others.thenCombine(
                    turns.select(criteria.wanted(), now, jobsMax),
                    (selection, inTurn) -> joined(selection, inTurn, share, jobsMax));
        });
    }

    /** What this transaction has put back is left to the next claim, which may be that of another process. */
    private QueueSource.Selection withoutEnded(QueueSource.Selection selection) {
        if (ended.isEmpty()) {
            return selection;
        }
        List<QueueEntry> others = selection.candidates().stream()
                .filter(row -> !ended.contains(parts.writer.ref(row.jobId())))
                .toList();
        leavesJobs |= others.size() < selection.candidates().size();
        return selection.with(others);
    }

    private CompletableFuture<QueueSource.Selection> selectOthers(ClaimCriteria criteria, int jobsMax) {
        return parts.queue.select(tx, criteria.wanted(), now, jobsMax);
    }

    /** Jobs without turn keys, up to their share or as many as there are in place of others, and jobs with them. */
    private QueueSource.Selection joined(
            QueueSource.Selection others, List<QueueEntry> inTurn, int share, int jobsMax) {
        int othersMax = Math.max(share, jobsMax - inTurn.size());
        leavesOthers |= others.candidates().size() >= Math.max(1, share);
        List<QueueEntry> first = others.candidates().stream().limit(othersMax).toList();
        if (first.size() < others.candidates().size()) {
            parts.queue.retry(); // the rest is left in the queue
        }
        List<QueueEntry> second = inTurn.stream().limit(jobsMax - first.size()).toList();
        boolean isInTurnFirst = parts.environment.random().nextBoolean(); // a suspect is claimed when it is first
        return others.with(isInTurnFirst ? concat(second, first) : concat(first, second));
    }

    private CompletableFuture<QueueRead<D>> claimSelected(
            CompletableFuture<Allowance> allowance, ClaimCriteria criteria, QueueSource.Selection selection) {
        List<QueueEntry> rows = concat(selection.candidates(), selection.moves());
        List<JobRef> refs =
                rows.stream().map(row -> parts.writer.ref(row.jobId())).toList();
        CompletableFuture<List<Optional<JobRow>>> read = JobTable.findAll(tx, refs);
        CompletableFuture<?> prefetched = rows.stream().anyMatch(row -> row.scheduledTime() > 0)
                ? TypeInUse.prefetch(tx, parts.keys)
                : CompletableFuture.completedFuture(tx);
        CompletableFuture<HeldCandidates> readHeld = read.thenCompose(
                jobs -> allowance.thenCompose(rules -> HeldCandidates.read(tx, parts.keys, rules, jobs)));
        return CompletableFuture.allOf(readHeld, prefetched).thenCompose(done -> {
            HeldCandidates held = readHeld.join();
            List<Optional<JobRow>> jobs = read.join();
            // Decides which jobs are late, and is written: at a second reading the clock may have been set.
            Instant decidedAt = parts.clock.instant();
            SelectedRows selected = new SelectedRows(criteria, held, endedLimited, decidedAt);
            for (int i = 0; i < rows.size(); i++) {
                boolean isCandidate = i < selection.candidates().size();
                selected.add(rows.get(i), refs.get(i), jobs.get(i), isCandidate);
            }
            selected.stale().forEach(row -> row.clear(tx));
            JobStore.of(tx).saveAll(selected.moves());
            leavesJobs |= selected.mayAdmitJobs();
            List<RowChange> planned = within(parts.writer.planClaims(
                    criteria, selected.claimable(), allowance.join().shard(), decidedAt));
            if (held.start(tx, planned) > 0) {
                contention.add(Contention.TOKENS);
            }
            return parts.writer
                    .endLate(tx, selected.late(), decidedAt)
                    .thenCompose(ended -> putBack(held, rows, !planned.isEmpty()))
                    .thenCompose(putBack -> write(criteria, selected, planned, putBack));
        });
    }

    /** {@return the first of some claims, whose data is small enough to be loaded at once} */
    private List<RowChange> within(List<RowChange> planned) {
        int fitting = 0;
        for (RowChange claim : planned) {
            long bytes = Objects.requireNonNull(claim.before()).payload().bytesAtMost();
            boolean isFirst = bytesLeft == BYTES_MAX;
            if (bytes > bytesLeft && !isFirst) {
                break;
            }
            bytesLeft -= bytes;
            fitting++;
        }
        if (fitting == planned.size()) {
            return planned;
        }
        leavesJobs = true;
        parts.queue.retry(); // the rest is left in the queue
        return planned.subList(0, fitting);
    }

    /**
     * Puts jobs back that may not start. Two claims that do so for one key conflict, so a try that follows claims other
     * jobs if it finds some.
     *
     * @return the ids of the jobs that were put back
     */
    private CompletableFuture<Set<String>> putBack(HeldCandidates held, List<QueueEntry> rows, boolean findsOthers) {
        if (held.isEmpty()) {
            return CompletableFuture.completedFuture(Set.of());
        }
        leavesJobs = true;
        if (avoidsMoves && findsOthers) {
            return CompletableFuture.completedFuture(Set.of());
        }
        contention.add(Contention.MOVES);
        Set<String> selected = rows.stream().map(QueueEntry::jobId).collect(Collectors.toSet());
        return held.putBack(tx, selected, parts.writer::ref);
    }

    private CompletableFuture<QueueRead<D>> write(
            ClaimCriteria criteria, SelectedRows selected, List<RowChange> planned, Set<String> putBack) {
        List<RowChange> claims =
                named(criteria, parts.queueClearing.clearRanges(tx, selected.claimableRows(), planned));
        allowed.addAndGet(-claims.size());
        Set<String> gone = new HashSet<>(selected.gone());
        gone.addAll(putBack);
        turns.record(claims, gone);
        boolean claimsAll = claims.size() == selected.claimable().size();
        leavesCandidates |= !claimsAll;
        // The end of a job of a schedule adds the next, with its data: another claim follows for the rest.
        boolean readAgain =
                selected.hasLostCandidates() && endedLimited.isEmpty() && claimsAll && !selected.endsJobsOfSchedules();
        List<CompletableFuture<GrantedClaim<D>>> written = tried.write(tx, criteria, claims);
        return parts.writer
                .addFollowing(tx, claims)
                .thenCompose(added -> Futures.listOf(written))
                .thenApply(jobs -> new QueueRead<>(jobs, readAgain));
    }

    /** {@return claims with the names that their calls gave} They are delivered in this order. */
    private List<RowChange> named(ClaimCriteria criteria, List<RowChange> claims) {
        int before = claimed.getOrDefault(criteria, 0);
        claimed.put(criteria, before + claims.size());
        List<ClaimDemand.Caller> callers = demand.callers().getOrDefault(criteria, List.of());
        if (callers.isEmpty()) {
            return claims;
        }
        List<RowChange> named = new ArrayList<>(claims.size());
        for (int i = 0; i < claims.size(); i++) {
            RowChange claim = claims.get(i);
            named.add(callers.get(before + i).by().map(claim::claimedBy).orElse(claim));
        }
        return named;
    }

    private static <T> List<T> concat(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
