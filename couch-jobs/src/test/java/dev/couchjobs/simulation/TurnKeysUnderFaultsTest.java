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
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Turn keys while everything goes wrong, and while jobs and weights change. After every commit each key with due jobs
 * has one turn or requests one, and while a key has a turn and waits, no other key starts more jobs than a few rounds
 * allow.
 */
@Tag("long")
class TurnKeysUnderFaultsTest {
    private static final JobType<Integer, String> TYPE = JobType.of("simulated", Integer.class, String.class)
            .activityTimeout(Duration.ofSeconds(2))
            .retry(RetryPolicy.standard().attempts(3).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)));
    private static final Subspace ROWS = new Subspace(Tuple.from("couch_jobs"));
    private static final Subspace JOBS = rows("data");
    private static final Subspace RANKED = rows("ranked");
    private static final Subspace WAITING = rows("limited");
    private static final Subspace TURNS = rows("turns");
    private static final Subspace IN_TURN = rows("in_turn");
    private static final Subspace REQUESTS = rows("turn_requests");
    private static final int RANKED_TURNS = -1;
    private static final List<String> KEYS = List.of("a", "b", "c");
    private static final int WEIGHT_MAX = 3;
    /** A worker claims up to four jobs at a time, and a suspect alone. */
    private static final int STARTS_MAX = 4 * WEIGHT_MAX;

    private static final int IDS = 40;
    private static final String OPERATOR = "operator";
    private static final Duration CHAOS = Duration.ofSeconds(30);
    /** Clocks jump by up to 20 seconds about once a second: a scheduled time may be minutes ahead. */
    private static final Duration CALM = Duration.ofMinutes(20);

    private static long mostStarts;

    private boolean isOver;

    private static Subspace rows(String kind) {
        return ROWS.subspace(Tuple.from(kind, TYPE.name()));
    }

    static LongStream seeds() {
        return Seeds.of(5, 23);
    }

    @AfterAll
    static void keysHaveWaitedForOthers() {
        assertThat(mostStarts).isGreaterThan(1);
    }

    /** To replay one: {@code ./mvnw verify -pl couch-jobs -am -Dtest=TurnKeysUnderFaultsTest -Dsimulation.seed=N}. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keysTakeTurns(long seed) {
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
            simulation.advance(CALM);

            law.check();
            JobCounts counts = simulation.await(
                    EffectHandler.instance(simulation.process("last")).counts(simulation.database(), TYPE));
            assertThat(counts.pending() + counts.running()).isZero();
            mostStarts = Math.max(mostStarts, law.mostStarts);
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
        return switch (random.nextInt(8)) {
            case 0 -> jobs.remove(database, TYPE, id(random));
            case 1 -> jobs.limits().setWeight(database, TYPE, key, 1 + random.nextInt(WEIGHT_MAX));
            case 2 ->
                random.nextInt(4) == 0
                        ? jobs.limits().clearWeight(database, TYPE, key)
                        : database.runAsync(tx -> jobs.add(tx, job(process, key, random))
                                .thenCombine(other.remove(tx, TYPE, id(random)), (added, removed) -> removed));
            case 3, 4 -> jobs.addAll(database, List.of(job(process, key, random), job(process, key, random)));
            default -> jobs.add(database, job(process, key, random));
        };
    }

    private static String id(RandomGenerator random) {
        return "job-" + random.nextInt(IDS);
    }

    private static NewJob<Integer> job(SimulatedProcess process, String key, RandomGenerator random) {
        NewJob<Integer> job = NewJob.of(TYPE, 1).id(id(random)).priority(random.nextInt(4) == 0 ? 1 : 0);
        NewJob<Integer> timed =
                random.nextInt(4) == 0 ? job.at(process.clock().instant().plusSeconds(random.nextInt(4))) : job;
        NewJob<Integer> limited = random.nextInt(6) == 0 ? timed.limitKey("limited") : timed;
        return random.nextInt(6) == 0 ? limited : limited.turnKey(key);
    }

    /** What holds after every commit. */
    private static final class Law {
        private final TupleRows<TupleRows.Row> rankedTurns = TupleRows.of(RANKED.get(RANKED_TURNS));
        private final TupleRows<TupleRows.Row> waitingRows = TupleRows.of(WAITING);
        private final TupleRows<TupleRows.Row> turnRows = TupleRows.of(TURNS);
        private final TupleRows<TupleRows.Row> inTurnRows = TupleRows.of(IN_TURN);
        private final TupleRows<TupleRows.Row> requests = TupleRows.of(REQUESTS);
        private final TupleRows<JobRow> jobs = TupleRows.of(JOBS, JobRow::of);
        /** The jobs that ran after the last commit, with their keys. */
        private Map<String, String> ranBefore = Map.of();
        /** How many jobs of each other key have started since a waiting key last started one. */
        private final Map<String, Map<String, Long>> startsWhileWaiting = new HashMap<>();

        private long mostStarts;
        private @Nullable AssertionError broken;

        private record JobRow(String id, @Nullable String key, boolean isPending, boolean isRunning, boolean isLater) {
            static JobRow of(TupleRows.Row row) {
                Tuple job = row.value();
                boolean isRunning = job.get(1) != null;
                return new JobRow(
                        row.path().getString(0),
                        turnKey(job),
                        !isRunning && job.get(0) != null,
                        isRunning,
                        Law.isLater(job));
            }
        }

        void look(Database store) {
            try (Transaction tx = store.createTransaction()) {
                Map<String, Set<String>> queued = new HashMap<>();
                rankedTurns
                        .read(tx)
                        .forEach(row -> queued.computeIfAbsent(row.path().getString(0), key -> new HashSet<>())
                                .add(row.last()));
                Set<String> waiting = new HashSet<>();
                waitingRows.read(tx).forEach(row -> waiting.add(row.last()));
                List<String> turns = new ArrayList<>();
                turnRows.read(tx).forEach(row -> turns.add(row.last()));
                List<String> inTurn = new ArrayList<>();
                inTurnRows.read(tx).forEach(row -> inTurn.add(row.last()));
                Map<String, String> running = new HashMap<>();
                jobs.read(tx).forEach(job -> {
                    boolean isQueued = job.key != null
                            && queued.getOrDefault(job.key, Set.of()).contains(job.id);
                    require(!isQueued || job.isPending, job.id + " is queued and does not wait");
                    require(
                            job.key == null || !job.isPending || isQueued || waiting.contains(job.id) || job.isLater,
                            job.id + " waits and is in no queue");
                    if (job.isRunning && job.key != null) {
                        running.put(job.id, job.key);
                    }
                });
                turns.sort(null);
                inTurn.sort(null);
                require(turns.equals(inTurn), "turns of " + turns + " beside marks of " + inTurn);
                require(new HashSet<>(turns).size() == turns.size(), "two turns: " + turns);
                List<String> asked = new ArrayList<>(turns);
                requests.read(tx).forEach(row -> asked.add(row.last()));
                require(asked.containsAll(queued.keySet()), "jobs of " + queued + " beside turns of " + asked);
                queued.keySet().retainAll(turns);
                checkFairness(queued.keySet(), running);
            } catch (AssertionError e) {
                broken = broken == null ? e : broken;
            }
        }

        private void checkFairness(Set<String> waitingKeys, Map<String, String> running) {
            startsWhileWaiting.keySet().retainAll(waitingKeys);
            running.forEach((id, key) -> {
                if (!ranBefore.containsKey(id)) {
                    startsWhileWaiting.remove(key);
                    startsWhileWaiting.forEach((waiter, starts) -> {
                        long count = starts.merge(key, 1L, Long::sum);
                        mostStarts = Math.max(mostStarts, count);
                        require(
                                count <= STARTS_MAX,
                                count + " jobs of " + key + " started while " + waiter + " waited");
                    });
                }
            });
            waitingKeys.forEach(key -> startsWhileWaiting.computeIfAbsent(key, unused -> new HashMap<>()));
            ranBefore = running;
        }

        private static @Nullable Tuple options(Tuple job) {
            int options = 6;
            return job.size() > options && job.get(options) != null ? job.getNestedTuple(options) : null;
        }

        private static @Nullable String turnKey(Tuple job) {
            Tuple options = options(job);
            int key = 13;
            return options == null || options.size() <= key ? null : options.getString(key);
        }

        private static boolean isLater(Tuple job) {
            Tuple options = options(job);
            return job.getLong(2) != 0 && (options == null || !options.getBoolean(2));
        }

        private static void require(boolean holds, String otherwise) {
            if (!holds) {
                throw new AssertionError(otherwise);
            }
        }

        void check() {
            if (broken != null) {
                throw broken;
            }
        }
    }
}
