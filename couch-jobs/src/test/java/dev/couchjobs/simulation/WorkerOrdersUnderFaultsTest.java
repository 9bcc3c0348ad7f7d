package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobType;
import dev.couchjobs.PageRequest;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerInfo;
import dev.couchjobs.WorkerState;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * Orders for workers while everything goes wrong: a worker that says that it is paused or drains, one that has
 * registered under a paused name, and one that has ended claim nothing; a drained worker ends; and each job has its
 * effect once.
 */
@Tag("long")
class WorkerOrdersUnderFaultsTest {
    private static final JobType<Integer, String> TYPE = JobType.of("simulated", Integer.class, String.class)
            .retry(RetryPolicy.standard().attempts(1_000).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)));
    private static final List<String> NAMES = List.of("a", "b");
    private static final String OPERATOR = "operator";
    /** The concurrency of a worker tells the law which one it is. */
    private static final int FIRST = 100;

    private static final int AT_ONCE = 4;
    private static final int JOBS = 120;
    private static final Duration BETWEEN_JOBS = Duration.ofMillis(500);
    /** Clocks jump by up to 20 seconds about once a second: one may be minutes ahead when a retry is set. */
    private static final Duration CALM = Duration.ofMinutes(20);
    /** Longer than a worker that has missed the notification needs. */
    private static final Duration OBEYED = Duration.ofSeconds(90);

    private static boolean hasSeenPause;
    private static boolean hasSeenDrain;

    private final List<Started> started = new ArrayList<>();
    private boolean isOver;

    private record Started(SimulatedProcess process, Worker worker) {}

    static LongStream seeds() {
        return Seeds.of(4, 14);
    }

    @AfterAll
    static void workersHaveObeyed() {
        assertThat(hasSeenPause && hasSeenDrain).isTrue();
    }

    /**
     * To replay one: {@code ./mvnw verify -pl couch-jobs -am -Dtest=WorkerOrdersUnderFaultsTest -Dsimulation.seed=N}.
     */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void ordersAreObeyed(long seed) {
        try (Simulation simulation = EffectHandler.simulation(seed)) {
            Law law = new Law();
            simulation.onCommit(law::look);
            CouchJobs first = EffectHandler.instance(simulation.process("first"));
            simulation.await(first.types().setTypeTimeout(simulation.database(), TYPE, Duration.ofSeconds(2)));
            simulation.onDeath(dead -> {
                if (dead.name().equals(OPERATOR)) {
                    operate(simulation);
                } else {
                    join(simulation);
                }
            });
            for (int i = 0; i < 3; i++) {
                join(simulation);
            }
            operate(simulation);
            for (int i = 0; i < JOBS; i++) {
                simulation.await(first.add(simulation.database(), TYPE, "j" + i, i));
                simulation.advance(BETWEEN_JOBS);
            }
            simulation.calm();
            isOver = true;
            join(simulation, "a");
            CouchJobs last = EffectHandler.instance(simulation.process("last"));
            simulation.advance(OBEYED); // what the operator has begun ends
            NAMES.forEach(name -> simulation.await(last.workers().resume(simulation.database(), name)));
            simulation.advance(CALM);

            law.check();
            JobCounts counts = simulation.await(last.counts(simulation.database(), TYPE));
            assertThat(counts.pending() + counts.running()).isZero();
            assertThat(EffectHandler.effects(simulation))
                    .hasSize(JOBS)
                    .allSatisfy(effect -> assertThat(effect.getValue()).isEqualTo(new byte[] {1}));

            NAMES.forEach(name -> simulation.await(last.workers().drain(simulation.database(), name)));
            simulation.advance(OBEYED);
            assertThat(started.stream().filter(each -> each.process().isAlive()))
                    .allSatisfy(each -> assertThat(each.worker().ended()).isDone());
            simulation.advance(Duration.ofMinutes(12)); // clocks may be ahead by so much
            assertThat(simulation
                            .await(last.workers().list(simulation.database(), PageRequest.of(PageRequest.LIMIT_MAX)))
                            .items())
                    .noneMatch(WorkerInfo::isLive);
            law.check();
            hasSeenPause |= law.hasSeenPause;
            hasSeenDrain |= law.hasSeenDrain;
        }
    }

    private void join(Simulation simulation) {
        join(simulation, NAMES.get(simulation.random().nextInt(NAMES.size())));
    }

    /** Starts a worker in a process of its own, and another when it has been drained. */
    private void join(Simulation simulation, String name) {
        SimulatedProcess process = simulation.process("worker");
        int number = FIRST + started.size();
        CouchJobs jobs = CouchJobs.builder(process.database())
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .name(String.valueOf(number))
                .build();
        Worker worker = EffectHandler.builder(process, jobs, TYPE)
                .name(name)
                .concurrency(number)
                .concurrency(TYPE, AT_ONCE)
                .start();
        started.add(new Started(process, worker));
        var unused = worker.ended().thenRun(() -> {
            if (!isOver) {
                join(simulation);
            }
        });
    }

    private void operate(Simulation simulation) {
        SimulatedProcess process = simulation.process(OPERATOR);
        operate(process, EffectHandler.instance(process));
    }

    /** Gives one order after the other, for as long as the process lives. */
    private void operate(SimulatedProcess process, CouchJobs jobs) {
        if (isOver) {
            return;
        }
        RandomGenerator random = process.random();
        var unused = act(process.database(), jobs, random).whenComplete((done, error) -> {
            process.log("operator: " + error);
            var unusedTimer = process.scheduler()
                    .schedule(() -> operate(process, jobs), random.nextInt(4_000), TimeUnit.MILLISECONDS);
        });
    }

    private static CompletableFuture<?> act(Database database, CouchJobs jobs, RandomGenerator random) {
        String name = NAMES.get(random.nextInt(NAMES.size()));
        return switch (random.nextInt(6)) {
            case 0, 1 -> jobs.workers().pause(database, name);
            case 2 -> jobs.workers().drain(database, name);
            default -> jobs.workers().resume(database, name);
        };
    }

    /** What holds after every commit. */
    private static final class Law {
        private static final Subspace ROWS = new Subspace(Tuple.from("couch_jobs"));
        private static final Subspace JOBS = ROWS.subspace(Tuple.from("data", TYPE.name()));
        private static final Subspace WORKERS = ROWS.subspace(Tuple.from("workers"));
        private static final Subspace ORDERS = ROWS.subspace(Tuple.from("worker_orders"));
        private static final int LOCK = 1;
        private static final int CLAIM = 7;
        private static final int CLAIMED_BY = 2;
        private static final int CONCURRENCY = 3;
        private static final int STATE = 5;

        private final TupleRows<JobRow> jobs = TupleRows.of(JOBS, JobRow::of);
        private final TupleRows<TupleRows.Row> orders = TupleRows.of(ORDERS);
        private final TupleRows<WorkerRow> workers = TupleRows.of(WORKERS, WorkerRow::of);
        private final Map<String, String> locks = new HashMap<>();
        private final Map<String, WorkerRow> rows = new HashMap<>();
        /** Why workers claim nothing. */
        private final Map<String, String> restOf = new HashMap<>();

        private boolean hasSeenPause;
        private boolean hasSeenDrain;
        private @Nullable AssertionError broken;

        private record JobRow(
                String id, @Nullable String lock, @Nullable String claimedBy) {
            static JobRow of(TupleRows.Row row) {
                Tuple job = row.value();
                boolean isRunning = job.get(LOCK) != null;
                return new JobRow(
                        row.path().getString(0),
                        isRunning ? job.get(LOCK).toString() : null,
                        isRunning ? job.getNestedTuple(CLAIM).getString(CLAIMED_BY) : null);
            }
        }

        private record WorkerRow(String name, String number, String state, Tuple row) {
            static WorkerRow of(TupleRows.Row row) {
                Tuple worker = row.value();
                return new WorkerRow(
                        row.path().getString(0),
                        String.valueOf(worker.getLong(CONCURRENCY)),
                        worker.getString(STATE),
                        worker);
            }
        }

        void look(Database store) {
            try (Transaction tx = store.createTransaction()) {
                jobs.read(tx).forEach(this::lookAtJob);
                Set<String> paused = new HashSet<>();
                orders.read(tx).forEach(row -> {
                    if (row.value().get(0) != null) {
                        paused.add(row.path().getString(0));
                    }
                });
                Set<String> gone = new HashSet<>(rows.keySet());
                workers.read(tx).forEach(worker -> {
                    gone.remove(worker.number);
                    lookAtWorker(worker, paused.contains(worker.name));
                });
                gone.forEach(number -> restOf.put(number, "has ended"));
            } catch (AssertionError e) {
                broken = broken == null ? e : broken;
            }
        }

        /** Each claim has another lock. */
        private void lookAtJob(JobRow job) {
            if (job.lock == null || job.lock.equals(locks.put(job.id, job.lock))) {
                return;
            }
            String by = Objects.requireNonNull(job.claimedBy);
            if (restOf.containsKey(by)) {
                throw new AssertionError("worker " + by + " claims " + job.id + " although it " + restOf.get(by));
            }
        }

        private void lookAtWorker(WorkerRow worker, boolean isPaused) {
            String number = worker.number;
            WorkerRow before = rows.put(number, worker);
            if (worker.state.equals(WorkerState.DRAINING.name())) {
                restOf.put(number, "drains");
                hasSeenDrain = true;
            } else if (!isPaused) {
                restOf.remove(number);
            } else if (before == null) {
                restOf.put(number, "has registered under a paused name");
            } else if (worker.state.equals(WorkerState.PAUSED.name()) && !before.equals(worker)) {
                restOf.put(number, "is paused");
                hasSeenPause = true;
            }
        }

        void check() {
            if (broken != null) {
                throw broken;
            }
        }
    }
}
