package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.simulation.SimulationBuilder;
import dev.couchjobs.fdb.testing.Seeds;
import dev.couchjobs.loop.WatchLooks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No job waits for a process that has nothing to do, whatever went wrong before; but no process dies here. */
@Tag("long")
class IdleProcessesTest {
    private static final int STEPS = 25;
    private static final int PROBES = 6;
    /** How long a probe runs, in milliseconds; it does not fail. */
    private static final long PROBE = 1;

    /** So long that no activity monitor helps. */
    private static final Duration TIMEOUT = Duration.ofHours(10);
    /** Longer than any job, any back-off and any late watch. */
    private static final Duration SETTLED = Duration.ofSeconds(90);

    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    private static final List<Fault> TOO_MUCH =
            List.of(Fault.PAUSE, Fault.DEATH, Fault.STORE_LOSS, Fault.WRONG_DATE, Fault.DATE_JUMP);

    private static final List<JobType<Long, Void>> TYPES = IntStream.range(0, 3)
            .mapToObj(i -> JobType.of("type-" + i, Long.class)
                    .retry(RetryPolicy.standard().attempts(1_000).backoff(AT_ONCE, 1, AT_ONCE)))
            .toList();

    static LongStream seeds() {
        return Seeds.of(4, 16);
    }

    /** To replay one: {@code ./mvnw verify -pl couch-jobs -am -Dtest=IdleProcessesTest -Dsimulation.seed=N}. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyJobIsTakenAtOnceByAnIdleProcess(long seed) {
        SimulationBuilder builder = Simulation.builder(seed).without(Fault.ORPHANED_WATCH);
        TOO_MUCH.forEach(builder::without);
        try (Simulation simulation = builder.build()) {
            new Scene(simulation, TIMEOUT).play(AT_ONCE);
        }
    }

    /** The watches that are armed before it is calm never fire. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyJobIsTakenSoonByAProcessWhoseWatchesAreOrphaned(long seed) {
        SimulationBuilder builder = Simulation.builder(seed).with(Fault.ORPHANED_WATCH, 1);
        TOO_MUCH.forEach(builder::without);
        try (Simulation simulation = builder.build()) {
            new Scene(simulation, TIMEOUT).play(WatchLooks.BOUND.plus(AT_ONCE));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aProcessThatReplacesAKilledOneTakesTheNextJobAtOnce(long seed) {
        try (Simulation simulation = Simulation.builder(seed).calm().build()) {
            Scene scene = new Scene(simulation, TIMEOUT);
            scene.start(true);
            scene.probe();

            scene.kill();
            scene.start(true);
            simulation.advance(AT_ONCE);

            scene.probe();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aJobWaitsForAKilledProcessNoLongerThanForOneThatDiedWithIt(long seed) {
        Duration timeout = Duration.ofSeconds(8);
        try (Simulation simulation = Simulation.builder(seed).calm().build()) {
            Scene scene = new Scene(simulation, timeout);
            IntStream.range(0, 6).forEach(i -> scene.start(true));
            scene.probe();

            IntStream.range(0, 4).forEach(i -> scene.kill());

            for (int i = 0; i < PROBES; i++) {
                scene.probe(timeout);
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aClockThatIsDaysBehindDelaysAScheduledJobByLessThanTheTimeout(long seed) {
        Duration timeout = Duration.ofSeconds(8);
        try (Simulation simulation = Simulation.builder(seed).calm().build()) {
            Scene scene = new Scene(simulation, timeout);
            IntStream.range(0, 4).forEach(i -> scene.start(true));
            scene.processes.subList(0, 2).forEach(process -> process.jumpClock(Duration.ofDays(-20)));

            for (int i = 0; i < PROBES; i++) {
                scene.probe(AT_ONCE);
                scene.probe(AT_ONCE, timeout);
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aJobThatIsScheduledForLongWaitsForAKilledProcessForMinutes(long seed) {
        Duration timeout = Duration.ofSeconds(8);
        try (Simulation simulation = Simulation.builder(seed).calm().build()) {
            Scene scene = new Scene(simulation, timeout);
            IntStream.range(0, 5).forEach(i -> scene.start(true));

            scene.probe(
                    Duration.ofMinutes(30), scene::kill, Duration.ofMinutes(6).plus(timeout.multipliedBy(2)));
        }
    }

    private static final class Scene {
        private final Simulation simulation;
        private final RandomGenerator random;
        private final SimulatedProcess home;
        private final CouchJobs client;
        private final List<Worker> workers = new ArrayList<>();
        private final List<SimulatedProcess> processes = new ArrayList<>();
        private int added;

        Scene(Simulation simulation, Duration timeout) {
            this.simulation = simulation;
            this.random = simulation.random();
            this.home = simulation.process("client");
            this.client = jobs(home);
            TYPES.forEach(
                    type -> simulation.await(client.types().setTypeTimeout(simulation.database(), type, timeout)));
        }

        void play(Duration within) {
            IntStream.range(0, 1 + random.nextInt(6)).forEach(i -> start(i == 0));
            for (int i = 0; i < STEPS; i++) {
                step();
                simulation.advance(Duration.ofMillis(random.nextInt(1_500)));
            }
            simulation.calm();
            simulation.advance(SETTLED);
            for (int i = 0; i < PROBES; i++) {
                probe(within);
            }
        }

        private void step() {
            switch (random.nextInt(8)) {
                case 0 -> {
                    var unused = workers.remove(random.nextInt(workers.size())).closeAsync();
                    start(true); // the one that has gone may have been the only one for some type
                }
                case 1 -> add(1 + random.nextInt(20));
                default -> add(1);
            }
        }

        private void add(int count) {
            JobType<Long, Void> type = TYPES.get(random.nextInt(TYPES.size()));
            List<NewJob<Long>> some = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                long millis = random.nextInt(10) == 0 ? random.nextInt(10_000) : random.nextInt(300);
                NewJob<Long> job = NewJob.of(type, millis).id("job-" + added++);
                if (random.nextInt(4) == 0) {
                    job = job.priority(random.nextInt(3) - 1);
                }
                if (random.nextInt(4) == 0) {
                    job = job.at(home.clock().instant().plusSeconds(random.nextInt(10)));
                }
                some.add(job);
            }
            var unused = client.addAll(simulation.database(), some);
        }

        /** Ends one of the processes for good. */
        private void kill() {
            processes.remove(random.nextInt(processes.size())).kill();
        }

        /** All are idle now. */
        private void probe() {
            probe(AT_ONCE);
        }

        private void probe(Duration within) {
            probe(Duration.ZERO, within);
        }

        private void probe(Duration after, Duration within) {
            probe(after, () -> {}, within);
        }

        /**
         * Adds a job of each type and looks whether it has run.
         *
         * @param after until when it is scheduled
         * @param meanwhile happens in the middle of that time
         * @param within how late it has run at most
         */
        private void probe(Duration after, Runnable meanwhile, Duration within) {
            for (JobType<Long, Void> type : TYPES) {
                String id = "probe-" + added++;
                NewJob<Long> job = NewJob.of(type, PROBE).id(id);
                if (!after.isZero()) {
                    job = job.at(home.clock().instant().plus(after));
                }
                simulation.await(client.add(simulation.database(), job));
                simulation.advance(after.dividedBy(2));
                meanwhile.run();
                simulation.advance(after.dividedBy(2).plus(within));
                assertThat(simulation.await(client.getJobState(simulation.database(), type, id)))
                        .as(id)
                        .isEqualTo(JobState.FINISHED);
            }
            simulation.advance(Duration.ofMillis(random.nextInt(2_000)));
        }

        /** @param all whether it handles all types */
        private void start(boolean all) {
            SimulatedProcess process = simulation.process("worker");
            processes.add(process);
            WorkerBuilder builder =
                    jobs(process).worker().concurrency(1 + random.nextInt(3)).executor(process.scheduler());
            int without = all ? TYPES.size() : random.nextInt(TYPES.size());
            IntStream.range(0, TYPES.size())
                    .filter(i -> i != without)
                    .forEach(i -> builder.handleAsync(TYPES.get(i), job -> work(process, job)));
            workers.add(builder.start());
        }

        private static CompletableFuture<Void> work(SimulatedProcess process, JobContext<Long> job) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            boolean fails = job.data() > PROBE && process.random().nextInt(10) == 0;
            var unused = process.scheduler()
                    .schedule(
                            () -> fails
                                    ? done.completeExceptionally(new IllegalStateException("bad luck"))
                                    : done.complete(null),
                            job.data(),
                            TimeUnit.MILLISECONDS);
            return done;
        }

        private static CouchJobs jobs(SimulatedProcess process) {
            return CouchJobs.builder(process.database())
                    .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                    .build();
        }
    }
}
