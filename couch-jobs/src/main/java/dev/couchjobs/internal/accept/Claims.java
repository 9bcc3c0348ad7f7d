package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.Queued;
import dev.couchjobs.internal.data.SharedActivity;
import dev.couchjobs.internal.data.TokenSearch;
import dev.couchjobs.internal.data.TypeInUse;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.Pause;
import dev.couchjobs.internal.verbs.ClaimedJob;
import dev.couchjobs.internal.verbs.Instance;
import dev.couchjobs.internal.verbs.PayloadCodec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
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
final class Claims<D> {
    private static final int GOES_MAX = 50;
    /** The next try is to be done with in five seconds if this one was not. */
    private static final Duration SLOW = Duration.ofSeconds(2);

    private final JobType<D, ?> type;
    private final Keyspace keyspace;
    private final TypeKeys keys;
    private final Environment environment;
    private final InstantSource clock;
    private final String by;
    private final PayloadCodec codec;
    private final Candidates candidates;
    private final Leadership leadership;

    Claims(JobType<D, ?> type, Instance instance) {
        this.type = type;
        this.keyspace = instance.keyspace();
        this.keys = keyspace.type(type.name());
        this.environment = instance.environment();
        this.clock = instance.clock();
        this.by = instance.name();
        this.codec = instance.codec();
        this.candidates = new Candidates(keys, environment.random());
        this.leadership = new Leadership(keys, environment.random());
    }

    /**
     * What a claim came to: jobs by what was wanted, or else a watch and the time of the next job.
     *
     * @param exhausted what was wanted and is not there any more
     * @param place where this process stands among those that wait
     * @param nextDue seconds since the epoch
     */
    record Outcome<D>(
            Map<AcceptMode, List<Claimed<D>>> jobs,
            Set<AcceptMode> exhausted,
            Leadership.Place place,
            Optional<CompletableFuture<Void>> watch,
            OptionalLong nextDue) {
        Outcome(Map<AcceptMode, List<Claimed<D>>> jobs, Set<AcceptMode> exhausted, Leadership.Place place) {
            this(jobs, exhausted, place, Optional.empty(), OptionalLong.empty());
        }

        Outcome<D> at(Leadership.Standing standing) {
            return new Outcome<>(jobs, exhausted, standing.place(), standing.call(), nextDue);
        }

        boolean isEmpty() {
            return jobs.values().stream().allMatch(List::isEmpty);
        }
    }

    /**
     * One look at the queue.
     *
     * @param goesOn whether there were rows that stand for no job, so that it is worth while to look for others
     */
    private record Go<D>(List<Claimed<D>> taken, boolean goesOn) {}

    /** A lock that was put on a job, and the activity row that the job shares if that try commits. */
    private record Tried(UUID lock, SharedActivity activity) {}

    /** One claim, through all the tries that its transaction takes. */
    final class Claim {
        private final Map<AcceptMode, Integer> wanted;
        private final boolean mayWatch;
        /**
         * The locks that earlier tries have put on jobs: if one of them did commit after all, its jobs are known by
         * them.
         */
        private final Map<AcceptMode, Map<String, Tried>> locks = new LinkedHashMap<>();

        private final long token = environment.random().nextLong();
        private final TokenSearch earlierTries = new TokenSearch(keys, token);
        private boolean hasBegun;
        /** When the last try got its read version, since when it can have grown too old. */
        private volatile Optional<Instant> readFrom = Optional.empty();
        /** How many jobs the last try would have claimed. */
        private volatile int tried;

        /** Where this process stands, as far as it is known before a try. */
        private volatile Leadership.Place place;

        private volatile boolean cutShort;
        /** Whether rows were found of jobs that this claim may not take. */
        private volatile boolean leavesSome;

        /**
         * @param wanted how many jobs to take, by what is wanted
         * @param place where this process stands among those that wait
         * @param mayWatch whether it may watch for new jobs if there is none to take
         */
        Claim(Map<AcceptMode, Integer> wanted, Leadership.Place place, boolean mayWatch) {
            this.wanted = new LinkedHashMap<>(wanted);
            this.mayWatch = mayWatch;
            this.place = place;
        }

        /** Is to be told of each try whose result is unknown. */
        TokenSearch earlierTries() {
            return earlierTries;
        }

        /** Whether this process takes turns with others in watching for jobs. */
        boolean takesTurns() {
            return mayWatch && wanted.keySet().stream().allMatch(AcceptMode::takesTurns);
        }

        /**
         * Tries it. A try that took long may have grown too old, and one in a short queue has met others who want the
         * same: after these the next takes half as many.
         */
        CompletableFuture<Outcome<D>> attempt(Transaction tx, BatchSize.Tries tries) {
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
            if (wasSlow || (hasMetAnother && !candidates.isAmple())) {
                wanted.replaceAll((mode, count) -> Math.max(1, count / 2));
            }
            if (hasMetAnother) {
                candidates.conflicted();
            } else {
                candidates.again();
            }
        }

        private CompletableFuture<Outcome<D>> takeOnce(Transaction tx) {
            return tx.getReadVersion()
                    .thenCompose(version -> {
                        readFrom = Optional.of(environment.clock().instant());
                        return earlierTries.hasCommitted(tx);
                    })
                    .thenCompose(done -> done ? takenBefore(tx) : takeNew(tx));
        }

        private CompletableFuture<Outcome<D>> takenBefore(Transaction tx) {
            Map<AcceptMode, CompletableFuture<List<Claimed<D>>>> looks = new LinkedHashMap<>();
            locks.forEach((mode, ofMode) -> {
                List<CompletableFuture<Optional<Claimed<D>>>> jobs = new ArrayList<>();
                ofMode.forEach((jobId, tried) -> jobs.add(heldBy(tx, jobId, tried)));
                looks.put(mode, present(jobs));
            });
            return byMode(looks).thenApply(jobs -> new Outcome<>(jobs, Set.of(), place.unsure()));
        }

        private CompletableFuture<Outcome<D>> takeNew(Transaction tx) {
            cutShort = false;
            leavesSome = false;
            long now = clock.instant().getEpochSecond();
            Leadership.Turn turn = leadership.new Turn(tx, place);
            Map<AcceptMode, CompletableFuture<List<Claimed<D>>>> taking = new LinkedHashMap<>();
            CompletableFuture<?> last = CompletableFuture.completedFuture(taking);
            for (Map.Entry<AcceptMode, Integer> each : wanted.entrySet()) {
                // One after the other: side by side, two that want different things could both take the same job.
                CompletableFuture<List<Claimed<D>>> next =
                        last.thenCompose(done -> take(tx, turn, each.getKey(), now, each.getValue(), GOES_MAX));
                taking.put(each.getKey(), next);
                last = next;
            }
            return byMode(taking).thenCompose(jobs -> {
                tried = jobs.values().stream().mapToInt(List::size).sum();
                if (cutShort) {
                    return CompletableFuture.completedFuture(new Outcome<>(jobs, Set.of(), place));
                }
                Set<AcceptMode> exhausted = new LinkedHashSet<>();
                jobs.forEach((mode, taken) -> {
                    if (taken.size() < wanted.getOrDefault(mode, 0)) {
                        exhausted.add(mode);
                    }
                });
                Outcome<D> outcome = new Outcome<>(jobs, exhausted, place);
                return outcome.isEmpty() ? idle(tx, turn, now) : taken(turn, outcome);
            });
        }

        private CompletableFuture<Outcome<D>> taken(Leadership.Turn turn, Outcome<D> outcome) {
            boolean hasRoom = outcome.exhausted().containsAll(wanted.keySet()) && !leavesSome;
            return standing(turn, place, () -> turn.took(hasRoom)).thenApply(outcome::at);
        }

        private CompletableFuture<Outcome<D>> idle(Transaction tx, Leadership.Turn turn, long now) {
            Leadership.Place before = place;
            if (takesTurns()) {
                place = Leadership.Place.FOLLOWER; // perhaps: the next try does not know whether this one has committed
            }
            return standing(turn, before, turn::idle)
                    .thenCompose(standing -> standing.place() == Leadership.Place.FOLLOWER
                            ? CompletableFuture.completedFuture(
                                    new Outcome<D>(Map.of(), wanted.keySet(), before).at(standing))
                            : watching(tx, standing, now));
        }

        private CompletableFuture<Leadership.Standing> standing(
                Leadership.Turn turn,
                Leadership.Place before,
                Supplier<CompletableFuture<Leadership.Standing>> change) {
            if (takesTurns()) {
                return change.get();
            }
            return before.isTaken() ? turn.leave() : CompletableFuture.completedFuture(Leadership.Standing.of(before));
        }

        /**
         * Takes jobs; goes on behind rows that turn out to stand for none, which it clears away. If there are too many
         * of those it is content with clearing, and another claim goes on from there.
         */
        private CompletableFuture<List<Claimed<D>>> take(
                Transaction tx, Leadership.Turn turn, AcceptMode mode, long now, int count, int goes) {
            return candidates.pick(tx, mode, now, count).thenCompose(pick -> {
                if (!pick.take().isEmpty() && takesTurns()) {
                    turn.foresee(pick.take().size() < count);
                }
                return takeAll(tx, mode, pick).thenCompose(go -> {
                    if (!go.goesOn()) {
                        return CompletableFuture.completedFuture(go.taken());
                    }
                    if (goes == 1) {
                        cutShort = true;
                        return CompletableFuture.completedFuture(go.taken());
                    }
                    return take(tx, turn, mode, now, count - go.taken().size(), goes - 1)
                            .thenApply(more -> concat(go.taken(), more));
                });
            });
        }

        private CompletableFuture<Go<D>> takeAll(Transaction tx, AcceptMode mode, Candidates.Pick pick) {
            List<Queued> rows =
                    Stream.concat(pick.take().stream(), pick.move().stream()).toList();
            List<CompletableFuture<Optional<JobRow>>> reads = new ArrayList<>(rows.size());
            rows.forEach(row -> reads.add(JobTable.find(tx, ref(row))));
            CompletableFuture<?> foreseen = rows.stream().anyMatch(row -> row.scheduledTime() > 0)
                    ? TypeInUse.foresee(tx, keys)
                    : CompletableFuture.completedFuture(tx);
            return CompletableFuture.allOf(allOf(reads), foreseen).thenCompose(done -> {
                Map<String, JobRow> found = new LinkedHashMap<>();
                boolean hasCleared = false;
                List<JobTable.Step> moves = new ArrayList<>();
                Map<String, Tried> ofMode = locks.computeIfAbsent(mode, unused -> new LinkedHashMap<>());
                for (int i = 0; i < rows.size(); i++) {
                    Queued row = rows.get(i);
                    JobRef ref = ref(row);
                    Optional<JobRow> waiting = reads.get(i).join().filter(job -> row.isBorneOutBy(ref, job));
                    if (waiting.isEmpty()) {
                        row.clear(tx);
                        hasCleared |= i < pick.take().size();
                    } else if (i < pick.take().size()) {
                        found.put(row.jobId(), waiting.get());
                    } else {
                        moves.add(new JobTable.Step(
                                ref, waiting.get(), waiting.get().dueNow()));
                    }
                }
                JobTable.saveAll(tx, keys, moves, OptionalLong.empty());
                List<JobTable.Step> claims = steps(mode, found);
                leavesSome |= claims.size() < found.size();
                boolean goesOn = hasCleared && claims.size() == found.size();
                return all(claim(tx, claims, ofMode)).thenApply(taken -> new Go<>(taken, goesOn));
            });
        }

        private JobRef ref(Queued row) {
            return keyspace.job(type.name(), row.jobId());
        }

        /** Writes and notes what this try claims, and loads what belongs to it. */
        private List<CompletableFuture<Claimed<D>>> claim(
                Transaction tx, List<JobTable.Step> steps, Map<String, Tried> ofMode) {
            List<CompletableFuture<Claimed<D>>> jobs = new ArrayList<>(steps.size());
            for (List<JobTable.Step> portion : JobTable.together(steps)) {
                int userVersion = JobTable.saveTogether(tx, keys, portion, OptionalLong.of(token));
                SharedActivity activity = new SharedActivity(tx, userVersion, portion.size());
                for (JobTable.Step step : portion) {
                    JobRow row = Objects.requireNonNull(step.after());
                    Tried tried = new Tried(Objects.requireNonNull(row.lock()), activity);
                    ofMode.put(step.ref().id(), tried);
                    jobs.add(load(tx, step.ref(), row, tried));
                }
            }
            return jobs;
        }

        /** A watch reads its key, and a claim beside it would conflict with every enqueue; so only beside none. */
        private CompletableFuture<Outcome<D>> watching(Transaction tx, Leadership.Standing standing, long now) {
            CompletableFuture<Void> pending = mayWatch ? tx.watch(keys.watchesPending()) : new CompletableFuture<>();
            CompletableFuture<Void> watch =
                    standing.call().map(call -> Pause.firstOf(pending, call)).orElse(pending);
            List<CompletableFuture<OptionalLong>> times = wanted.keySet().stream()
                    .map(mode -> candidates.nextDue(tx, mode, now))
                    .toList();
            return allOf(times).thenApply(done -> {
                OptionalLong next = times.stream()
                        .flatMapToLong(time -> time.join().stream())
                        .min();
                return new Outcome<>(Map.of(), wanted.keySet(), standing.place(), Optional.of(watch), next);
            });
        }

        private CompletableFuture<Map<AcceptMode, List<Claimed<D>>>> byMode(
                Map<AcceptMode, CompletableFuture<List<Claimed<D>>>> pending) {
            return allOf(pending.values()).thenApply(done -> {
                Map<AcceptMode, List<Claimed<D>>> jobs = new LinkedHashMap<>();
                pending.forEach((mode, taken) -> jobs.put(mode, taken.join()));
                return jobs;
            });
        }
    }

    /** This process takes no more jobs for now: another is to watch for them. */
    CompletableFuture<Leadership.Place> leave(Transaction tx, Leadership.Place place) {
        return leadership.new Turn(tx, place).leave().thenApply(Leadership.Standing::place);
    }

    private CompletableFuture<Optional<Claimed<D>>> heldBy(Transaction tx, String jobId, Tried tried) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return JobTable.find(tx.snapshot(), ref)
                .thenCompose(row -> row.filter(found -> found.isHeldBy(tried.lock()))
                        .map(found -> load(tx, ref, found, tried).thenApply(Optional::of))
                        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())));
    }

    /**
     * What to claim of the jobs that were found. Of those on which claims have expired a worker takes one by itself,
     * when it comes first: were it to end the process again, no other job would have been claimed with it.
     */
    private List<JobTable.Step> steps(AcceptMode mode, Map<String, JobRow> found) {
        Map<String, JobRow> chosen = found;
        boolean begins = mode.beginning() == Beginning.WITH_CLAIM;
        if (!begins) {
            Map.Entry<String, JobRow> first =
                    found.entrySet().stream().findFirst().orElse(null);
            if (mode.suspects() && first != null && isSuspect(first.getValue())) {
                chosen = Map.of(first.getKey(), first.getValue());
                begins = true;
            } else {
                chosen = new LinkedHashMap<>(found);
                chosen.values().removeIf(Claims::isSuspect);
                begins = mode.beginning() == Beginning.WITH_CLAIM_OF_ONE && chosen.size() == 1;
            }
        }
        List<JobTable.Step> steps = new ArrayList<>(chosen.size());
        for (Map.Entry<String, JobRow> each : chosen.entrySet()) {
            long now = clock.millis();
            JobRow after = each.getValue().claimed(randomLock(), by, now, chosen.size() > 1, begins);
            steps.add(new JobTable.Step(keyspace.job(type.name(), each.getKey()), each.getValue(), after));
        }
        return steps;
    }

    private static boolean isSuspect(JobRow row) {
        return row.claimant().isSuspect();
    }

    private CompletableFuture<Claimed<D>> load(Transaction tx, JobRef ref, JobRow row, Tried tried) {
        return row.payload()
                .load(tx, ref)
                .thenApply(json -> new Claimed<>(
                        new ClaimedJob<>(type, ref.id(), row, tried.lock(), json, codec), tried.activity()));
    }

    /** A random UUID (version 4) from the environment's randomness. */
    private UUID randomLock() {
        long high = environment.random().nextLong();
        long low = environment.random().nextLong();
        return new UUID((high & ~0xF000L) | 0x4000L, (low & ~(0b11L << 62)) | (0b10L << 62));
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
