package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobType;
import dev.couchjobs.Limits;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Sequences while everything goes wrong, and while jobs change. After every commit one job of each sequence is current,
 * and the others wait, each with one place behind it.
 */
@Tag("long")
class SequencesUnderFaultsTest {
    private static final JobType<Integer, String> TYPE = JobType.of("simulated", Integer.class, String.class)
            .activityTimeout(Duration.ofSeconds(2))
            .retry(RetryPolicy.standard().attempts(3).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)));
    private static final Subspace ROWS = new Subspace(Tuple.from("couch_jobs"));
    private static final Subspace JOBS = rows("data");
    private static final Subspace SEQUENCES = rows("sequences");
    private static final Subspace BEHIND = rows("sequence_queue");
    private static final List<String> KEYS = List.of("a", "b", "c");
    private static final int IDS = 20;
    /** A job fails for good about once in a hundred times. */
    private static final int RETRIES = 5;

    private static final String OPERATOR = "operator";
    private static final Duration CHAOS = Duration.ofSeconds(30);
    /** Clocks jump by up to 20 seconds about once a second: a scheduled time may be minutes ahead. */
    private static final Duration CALM = Duration.ofMinutes(20);

    private static boolean hasSeenWaiting;

    private boolean isOver;

    private static Subspace rows(String kind) {
        return ROWS.subspace(Tuple.from(kind, TYPE.name()));
    }

    static LongStream seeds() {
        return Seeds.of(4, 24);
    }

    @AfterAll
    static void jobsHaveWaitedForOthers() {
        assertThat(hasSeenWaiting).isTrue();
    }

    /** To replay one: {@code ./mvnw verify -pl couch-jobs -am -Dtest=SequencesUnderFaultsTest -Dsimulation.seed=N}. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void oneJobOfASequenceIsCurrent(long seed) {
        try (Simulation simulation = EffectHandler.simulation(seed)) {
            Law law = new Law();
            simulation.onCommit(law::look);
            Limits limits = EffectHandler.instance(simulation.process("first")).limits();
            simulation.await(limits.set(simulation.database(), TYPE, "limited", 2));
            simulation.onDeath(dead -> {
                if (dead.name().equals(OPERATOR)) {
                    operate(simulation);
                } else {
                    EffectHandler.join(simulation, TYPE, 2);
                }
            });
            EffectHandler.join(simulation, TYPE, 2);
            EffectHandler.join(simulation, TYPE, 2);
            operate(simulation);
            simulation.advance(CHAOS);
            simulation.calm();
            isOver = true;
            EffectHandler.join(simulation, TYPE, 2);
            CouchJobs last = EffectHandler.instance(simulation.process("last"));
            for (int i = 0; i < RETRIES; i++) {
                simulation.advance(CALM);
                simulation.await(last.deadLetters().retryAll(TYPE));
            }
            simulation.advance(CALM);

            law.check();
            JobCounts counts = simulation.await(last.counts(simulation.database(), TYPE));
            assertThat(counts.pending() + counts.running() + counts.blocked()).isZero();
            hasSeenWaiting |= law.hasSeenWaiting;
        }
    }

    private void operate(Simulation simulation) {
        SimulatedProcess process = simulation.process(OPERATOR);
        operate(process, EffectHandler.instance(process), EffectHandler.instance(process));
    }

    /** Makes one change after the other, for as long as the process lives. */
    private void operate(SimulatedProcess process, CouchJobs jobs, CouchJobs other) {
        if (isOver) {
            return;
        }
        RandomGenerator random = process.random();
        var unused = change(process, jobs, other, random).whenComplete((done, error) -> {
            process.log("operator: " + error);
            var unusedTimer = process.scheduler()
                    .schedule(() -> operate(process, jobs, other), random.nextInt(500), TimeUnit.MILLISECONDS);
        });
    }

    private static CompletableFuture<?> change(
            SimulatedProcess process, CouchJobs jobs, CouchJobs other, RandomGenerator random) {
        Database database = process.database();
        String key = KEYS.get(random.nextInt(KEYS.size()));
        return switch (random.nextInt(10)) {
            case 0 -> jobs.remove(database, TYPE, id(random));
            case 1 -> jobs.control().cancel(database, TYPE, id(random), "on purpose");
            case 2 -> jobs.deadLetters().retryAll(TYPE);
            case 3 -> database.runAsync(tx -> atOnce(tx, process, List.of(jobs, other), random));
            case 4, 5 -> jobs.addAll(database, List.of(job(process, key, random), job(process, key, random)));
            default -> jobs.add(database, job(process, key, random));
        };
    }

    /** Several verbs of two instances in one transaction, none of which waits for another. */
    private static CompletableFuture<Void> atOnce(
            Transaction tx, SimulatedProcess process, List<CouchJobs> instances, RandomGenerator random) {
        List<CompletableFuture<?>> verbs = new ArrayList<>();
        for (int left = 2 + random.nextInt(3); left > 0; left--) {
            CouchJobs jobs = instances.get(random.nextInt(2));
            NewJob<Integer> job = job(process, KEYS.get(random.nextInt(KEYS.size())), random);
            verbs.add(
                    switch (random.nextInt(4)) {
                        case 0 -> jobs.remove(tx, TYPE, id(random));
                        case 1 -> jobs.control().cancel(tx, TYPE, id(random), "on purpose");
                        case 2 -> jobs.addAll(tx, List.of(job, job(process, KEYS.get(0), random)));
                        default -> jobs.add(tx, job);
                    });
        }
        return CompletableFuture.allOf(verbs.toArray(CompletableFuture<?>[]::new));
    }

    private static String id(RandomGenerator random) {
        return "job-" + random.nextInt(IDS);
    }

    private static NewJob<Integer> job(SimulatedProcess process, String key, RandomGenerator random) {
        NewJob<Integer> job = NewJob.of(TYPE, 1).id(id(random)).priority(random.nextInt(4) == 0 ? 1 : 0);
        NewJob<Integer> timed =
                random.nextInt(4) == 0 ? job.at(process.clock().instant().plusSeconds(random.nextInt(4))) : job;
        NewJob<Integer> limited = random.nextInt(6) == 0 ? timed.limitKey("limited") : timed;
        return switch (random.nextInt(6)) {
            case 0 -> limited;
            case 1 -> limited.sequencePassingFailure(key);
            default -> limited.sequence(key);
        };
    }

    /** What holds after every commit. */
    private static final class Law {
        private boolean hasSeenWaiting;
        private @Nullable AssertionError broken;

        private final TupleRows<TupleRows.Row> sequences = TupleRows.of(SEQUENCES);
        private final TupleRows<TupleRows.Row> behindRows = TupleRows.of(BEHIND);
        private final TupleRows<JobRow> jobs = TupleRows.of(JOBS, JobRow::of);

        private record Place(String sequence, long token, boolean isHeld) {}

        /** @param inOrder what stands for it behind the current job of its sequence */
        private record JobRow(
                String id, @Nullable Place place, @Nullable Tuple inOrder, boolean isRunning, boolean isFinished) {
            static JobRow of(TupleRows.Row row) {
                String id = row.path().getString(0);
                Place place = Law.place(row.value());
                return new JobRow(
                        id,
                        place,
                        place == null ? null : Tuple.from(id, place.token),
                        row.value().get(1) != null,
                        Law.isFinished(row.value()));
            }
        }

        void look(Database store) {
            try (Transaction tx = store.createTransaction()) {
                Map<String, Tuple> rows = new HashMap<>();
                sequences.read(tx).forEach(row -> rows.put(row.path().getString(0), row.value()));
                Map<String, Set<Tuple>> behind = new HashMap<>();
                behindRows.read(tx).forEach(row -> {
                    Tuple path = row.path();
                    String key = path.getString(0);
                    Tuple sequence = rows.getOrDefault(key, Tuple.from("", 0, 0));
                    require(
                            sequence.getLong(1) <= path.getLong(1) && path.getLong(1) < sequence.getLong(2),
                            () -> path + " is outside of " + sequence);
                    behind.computeIfAbsent(key, unused -> new HashSet<>()).add(row.value());
                });
                Set<String> withCurrent = new HashSet<>();
                jobs.read(tx).forEach(job -> {
                    Place place = job.place;
                    if (place == null) {
                        return;
                    }
                    String id = job.id;
                    String current =
                            rows.getOrDefault(place.sequence, Tuple.from("")).getString(0);
                    if (current.equals(id)) {
                        withCurrent.add(place.sequence);
                        require(!place.isHeld, () -> id + " is current and held back");
                    } else {
                        hasSeenWaiting = true;
                        require(!job.isRunning, () -> id + " runs and is not current");
                        require(place.isHeld || job.isFinished, () -> id + " is neither current nor held back");
                        require(
                                behind.getOrDefault(place.sequence, Set.of()).contains(job.inOrder),
                                () -> id + " waits without a place");
                    }
                });
                require(
                        withCurrent.equals(rows.keySet()),
                        () -> "sequences " + rows + ", current jobs of " + withCurrent);
            } catch (AssertionError e) {
                broken = broken == null ? e : broken;
            }
        }

        private static boolean isFinished(Tuple job) {
            return job.get(0) == null && job.get(1) == null;
        }

        /** The place of a job that is still in its sequence. */
        private static @Nullable Place place(Tuple job) {
            int options = 6;
            int sequence = 14;
            int ending = 8;
            Tuple nested = job.size() > options && job.get(options) != null ? job.getNestedTuple(options) : null;
            if (nested == null || nested.size() <= sequence) {
                return null;
            }
            boolean passesFailure = nested.getBoolean(sequence + 2);
            boolean isDeadLetter = isFinished(job)
                    && Set.of("failed", "expired")
                            .contains(job.getNestedTuple(ending).getString(0));
            boolean isIn = !isFinished(job) || (isDeadLetter && !passesFailure);
            return isIn
                    ? new Place(
                            nested.getString(sequence), nested.getLong(sequence + 1), nested.getBoolean(sequence + 3))
                    : null;
        }

        private static void require(boolean holds, Supplier<String> otherwise) {
            if (!holds) {
                throw new AssertionError(otherwise.get());
            }
        }

        void check() {
            if (broken != null) {
                throw broken;
            }
        }
    }
}
