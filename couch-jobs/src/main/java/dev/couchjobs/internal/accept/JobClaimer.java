package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.QueueEntry;
import dev.couchjobs.internal.data.RowChange;
import dev.couchjobs.internal.data.TokenSearch;
import dev.couchjobs.internal.data.TypeInUse;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Takes jobs out of the queues of one type, many in one transaction.
 *
 * <p>Only the rows of the jobs taken conflict, so claims that take different jobs never disturb each other. A claim
 * that finds nothing arms a watch in that same transaction on the key that every enqueue changes: nothing that is added
 * between looking and watching is missed.
 */
final class JobClaimer<D> {
    private static final int SCANS_MAX = 50;
    /** A try that took longer may exceed the five seconds of a transaction; the next try is smaller. */
    private static final Duration SLOW = Duration.ofSeconds(2);

    private final TypeKeys keys;
    private final Environment environment;
    private final InstantSource clock;
    private final ClaimWriter<D> writer;
    private final CandidateSelector candidates;
    private final Leadership leadership;

    JobClaimer(JobType<D, ?> type, Instance instance) {
        this.keys = instance.keyspace().type(type.name());
        this.environment = instance.environment();
        this.clock = instance.clock();
        this.writer = new ClaimWriter<>(type, instance);
        this.candidates = new CandidateSelector(keys, environment.random());
        this.leadership = new Leadership(keys, environment.random());
    }

    /**
     * One look at the queue.
     *
     * @param scanAgain whether there were rows that stand for no job, so that it is worth while to look for others
     */
    private record QueueScan<D>(List<GrantedClaim<D>> taken, boolean scanAgain) {}

    /** One claim, through all the tries that its transaction takes. */
    final class ClaimTransaction {
        private final Map<ClaimCriteria, Integer> wanted;
        private final boolean mayWatch;
        /**
         * The locks that earlier tries have put on jobs: if one of them did commit after all, its jobs are known by
         * them.
         */
        private final Map<ClaimCriteria, Map<String, ClaimWriter.TriedClaim>> locks = new LinkedHashMap<>();

        private final long token = environment.random().nextLong();
        private final TokenSearch earlierTries = new TokenSearch(keys, token);
        private boolean hasBegun;
        /** When the last try got its read version, since when it can have grown too old. */
        private volatile Optional<Instant> readFrom = Optional.empty();
        /** How many jobs the last try would have claimed. */
        private volatile int tried;

        /** Where this process stands, as far as it is known before a try. */
        private volatile Leadership.Role role;

        private volatile boolean cutShort;
        /** Whether rows were found of jobs that this claim may not take. */
        private volatile boolean leavesSome;

        /**
         * @param wanted how many jobs to take, by what is wanted
         * @param role where this process stands among those that wait
         * @param mayWatch whether it may watch for new jobs if there is none to take
         */
        ClaimTransaction(Map<ClaimCriteria, Integer> wanted, Leadership.Role role, boolean mayWatch) {
            this.wanted = new LinkedHashMap<>(wanted);
            this.mayWatch = mayWatch;
            this.role = role;
        }

        /** Receives each try whose result is unknown. */
        TokenSearch earlierTries() {
            return earlierTries;
        }

        /** Whether this process takes turns with others in watching for jobs. */
        boolean takesTurns() {
            return mayWatch && wanted.keySet().stream().allMatch(ClaimCriteria::takesTurns);
        }

        /**
         * Tries it. A try that took long may have grown too old, and one in a short queue has met others who want the
         * same: after these the next takes half as many.
         */
        CompletableFuture<ClaimResult<D>> runTry(Transaction tx, BatchSize.Tries tries) {
            Instant now = environment.clock().instant();
            boolean wasSlow = readFrom.filter(
                            before -> Duration.between(before, now).compareTo(SLOW) > 0)
                    .isPresent();
            if (hasBegun) {
                tryAgain(wasSlow);
            } else {
                candidates.goOn(now);
            }
            hasBegun = true;
            readFrom = Optional.empty();
            tried = 0;
            return wasSlow ? tries.next(size -> takeOnce(tx)) : tries.again(size -> takeOnce(tx));
        }

        /** A try that had done all but commit and was not slow has most likely met another. */
        private void tryAgain(boolean wasSlow) {
            boolean hasMetAnother = tried > 0 && !wasSlow;
            if (wasSlow || (hasMetAnother && !candidates.hasSurplus())) {
                wanted.replaceAll((criteria, count) -> Math.max(1, count / 2));
            }
            if (hasMetAnother) {
                candidates.conflicted();
            } else {
                candidates.again();
            }
        }

        private CompletableFuture<ClaimResult<D>> takeOnce(Transaction tx) {
            return tx.getReadVersion()
                    .thenCompose(version -> {
                        readFrom = Optional.of(environment.clock().instant());
                        return earlierTries.hasCommitted(tx);
                    })
                    .thenCompose(done -> done ? takenBefore(tx) : takeNew(tx));
        }

        private CompletableFuture<ClaimResult<D>> takenBefore(Transaction tx) {
            Map<ClaimCriteria, CompletableFuture<List<GrantedClaim<D>>>> looks = new LinkedHashMap<>();
            locks.forEach((criteria, ofCriteria) -> {
                List<CompletableFuture<Optional<GrantedClaim<D>>>> jobs = new ArrayList<>();
                ofCriteria.forEach((jobId, triedClaim) -> jobs.add(writer.heldBy(tx, jobId, triedClaim)));
                looks.put(criteria, present(jobs));
            });
            return byMode(looks).thenApply(jobs -> new ClaimResult<>(jobs, Set.of(), role.unsure()));
        }

        private CompletableFuture<ClaimResult<D>> takeNew(Transaction tx) {
            cutShort = false;
            leavesSome = false;
            long now = clock.instant().getEpochSecond();
            Leadership.RoleTransaction transaction = leadership.new RoleTransaction(tx, role);
            Map<ClaimCriteria, CompletableFuture<List<GrantedClaim<D>>>> taking = new LinkedHashMap<>();
            CompletableFuture<?> last = CompletableFuture.completedFuture(taking);
            for (Map.Entry<ClaimCriteria, Integer> each : wanted.entrySet()) {
                // One after the other: side by side, two that want different things could both take the same job.
                CompletableFuture<List<GrantedClaim<D>>> next =
                        last.thenCompose(done -> take(tx, transaction, each.getKey(), now, each.getValue(), SCANS_MAX));
                taking.put(each.getKey(), next);
                last = next;
            }
            return byMode(taking).thenCompose(jobs -> {
                tried = jobs.values().stream().mapToInt(List::size).sum();
                if (cutShort) {
                    return CompletableFuture.completedFuture(new ClaimResult<>(jobs, Set.of(), role));
                }
                Set<ClaimCriteria> exhausted = new LinkedHashSet<>();
                jobs.forEach((criteria, taken) -> {
                    if (taken.size() < wanted.getOrDefault(criteria, 0)) {
                        exhausted.add(criteria);
                    }
                });
                ClaimResult<D> claimResult = new ClaimResult<>(jobs, exhausted, role);
                return claimResult.isEmpty() ? idle(tx, transaction, now) : taken(transaction, claimResult);
            });
        }

        private CompletableFuture<ClaimResult<D>> taken(
                Leadership.RoleTransaction transaction, ClaimResult<D> claimResult) {
            boolean hasCapacity = claimResult.exhausted().containsAll(wanted.keySet()) && !leavesSome;
            return standing(transaction, role, () -> transaction.took(hasCapacity))
                    .thenApply(claimResult::at);
        }

        private CompletableFuture<ClaimResult<D>> idle(
                Transaction tx, Leadership.RoleTransaction transaction, long now) {
            Leadership.Role before = role;
            if (takesTurns()) {
                role = Leadership.Role.FOLLOWER; // perhaps: the next try does not know whether this one has committed
            }
            return standing(transaction, before, transaction::idle)
                    .thenCompose(roleChange -> roleChange.role() == Leadership.Role.FOLLOWER
                            ? CompletableFuture.completedFuture(
                                    new ClaimResult<D>(Map.of(), wanted.keySet(), before).at(roleChange))
                            : watching(tx, roleChange, now));
        }

        private CompletableFuture<Leadership.RoleChange> standing(
                Leadership.RoleTransaction transaction,
                Leadership.Role before,
                Supplier<CompletableFuture<Leadership.RoleChange>> change) {
            if (takesTurns()) {
                return change.get();
            }
            return before.isTaken()
                    ? transaction.leave()
                    : CompletableFuture.completedFuture(Leadership.RoleChange.of(before));
        }

        /**
         * Takes jobs; goes on behind rows that turn out to stand for none, which it clears away. If there are too many
         * of those it is content with clearing, and another claim goes on from there.
         */
        private CompletableFuture<List<GrantedClaim<D>>> take(
                Transaction tx,
                Leadership.RoleTransaction transaction,
                ClaimCriteria criteria,
                long now,
                int count,
                int scansLeft) {
            return candidates.pick(tx, criteria, now, count).thenCompose(claimPlan -> {
                if (!claimPlan.take().isEmpty() && takesTurns()) {
                    transaction.prefetch(claimPlan.take().size() < count);
                }
                return takeAll(tx, criteria, claimPlan).thenCompose(queueScan -> {
                    if (!queueScan.scanAgain()) {
                        return CompletableFuture.completedFuture(queueScan.taken());
                    }
                    if (scansLeft == 1) {
                        cutShort = true;
                        return CompletableFuture.completedFuture(queueScan.taken());
                    }
                    return take(
                                    tx,
                                    transaction,
                                    criteria,
                                    now,
                                    count - queueScan.taken().size(),
                                    scansLeft - 1)
                            .thenApply(more -> concat(queueScan.taken(), more));
                });
            });
        }

        private CompletableFuture<QueueScan<D>> takeAll(
                Transaction tx, ClaimCriteria criteria, CandidateSelector.ClaimPlan claimPlan) {
            List<QueueEntry> rows = Stream.concat(claimPlan.take().stream(), claimPlan.move().stream())
                    .toList();
            List<CompletableFuture<Optional<JobRow>>> reads = new ArrayList<>(rows.size());
            rows.forEach(row -> reads.add(JobTable.find(tx, writer.ref(row.jobId()))));
            CompletableFuture<?> foreseen = rows.stream().anyMatch(row -> row.scheduledTime() > 0)
                    ? TypeInUse.prefetch(tx, keys)
                    : CompletableFuture.completedFuture(tx);
            return CompletableFuture.allOf(allOf(reads), foreseen).thenCompose(done -> {
                Map<String, JobRow> found = new LinkedHashMap<>();
                boolean hasCleared = false;
                List<RowChange> moves = new ArrayList<>();
                Map<String, ClaimWriter.TriedClaim> ofCriteria =
                        locks.computeIfAbsent(criteria, unused -> new LinkedHashMap<>());
                for (int i = 0; i < rows.size(); i++) {
                    QueueEntry row = rows.get(i);
                    JobRef ref = writer.ref(row.jobId());
                    Optional<JobRow> waiting = reads.get(i).join().filter(job -> row.matches(ref, job));
                    if (waiting.isEmpty()) {
                        row.clear(tx);
                        hasCleared |= i < claimPlan.take().size();
                    } else if (i < claimPlan.take().size()) {
                        found.put(row.jobId(), waiting.get());
                    } else {
                        moves.add(
                                new RowChange(ref, waiting.get(), waiting.get().dueNow()));
                    }
                }
                JobTransaction.of(tx).saveAll(moves);
                List<RowChange> claims = writer.steps(criteria, found);
                leavesSome |= claims.size() < found.size();
                boolean scanAgain = hasCleared && claims.size() == found.size();
                return all(writer.write(tx, token, claims, ofCriteria))
                        .thenApply(taken -> new QueueScan<>(taken, scanAgain));
            });
        }

        /** A watch reads its key, and a claim beside it would conflict with every enqueue; so only beside none. */
        private CompletableFuture<ClaimResult<D>> watching(Transaction tx, Leadership.RoleChange roleChange, long now) {
            CompletableFuture<Void> pending = mayWatch ? tx.watch(keys.watchesPending()) : new CompletableFuture<>();
            CompletableFuture<Void> watch =
                    roleChange.call().map(call -> Pause.firstOf(pending, call)).orElse(pending);
            List<CompletableFuture<OptionalLong>> times = wanted.keySet().stream()
                    .map(criteria -> candidates.nextDue(tx, criteria, now))
                    .toList();
            return allOf(times).thenApply(done -> {
                OptionalLong next = times.stream()
                        .flatMapToLong(time -> time.join().stream())
                        .min();
                return new ClaimResult<>(Map.of(), wanted.keySet(), roleChange.role(), Optional.of(watch), next);
            });
        }

        private CompletableFuture<Map<ClaimCriteria, List<GrantedClaim<D>>>> byMode(
                Map<ClaimCriteria, CompletableFuture<List<GrantedClaim<D>>>> pending) {
            return allOf(pending.values()).thenApply(done -> {
                Map<ClaimCriteria, List<GrantedClaim<D>>> jobs = new LinkedHashMap<>();
                pending.forEach((criteria, taken) -> jobs.put(criteria, taken.join()));
                return jobs;
            });
        }
    }

    /** This process takes no more jobs for now: another is to watch for them. */
    CompletableFuture<Leadership.Role> leave(Transaction tx, Leadership.Role role) {
        return leadership.new RoleTransaction(tx, role).leave().thenApply(Leadership.RoleChange::role);
    }

    private static <T> CompletableFuture<List<T>> present(List<CompletableFuture<Optional<T>>> all) {
        return allOf(all)
                .thenApply(done ->
                        all.stream().flatMap(each -> each.join().stream()).toList());
    }

    private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> all) {
        return allOf(all)
                .thenApply(done -> all.stream().map(CompletableFuture::join).toList());
    }

    private static <T> List<T> concat(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private static CompletableFuture<Void> allOf(Collection<? extends CompletableFuture<?>> all) {
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }
}
