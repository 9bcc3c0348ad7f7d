package dev.couchjobs.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All processes of a fleet but a few are killed in one moment, among them the one that runs a job and, mostly, those
 * that monitor its type and lead the idle ones. The job runs elsewhere within the bound of rfc/018.
 */
@Tag("long")
class SurvivorsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(8);
    /** So many look at the leases often. */
    private static final int SMALL_FLEET = 8;
    /** After what time a process of a larger fleet looks. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5).plusSeconds(30);
    /** A process renews its row once a minute, and counts others then. */
    private static final Duration KNOWN = Duration.ofMinutes(3);

    private static final int SURVIVORS_MAX = 4;
    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    private static final JobType<String, Void> MAIL = JobType.of("mail", String.class)
            .retry(RetryPolicy.standard().attempts(10).backoff(AT_ONCE, 1, AT_ONCE));

    record Case(int processes, long seed) {}

    static Stream<Case> cases() {
        return (Seeds.isLongRun() ? Stream.of(2, 6, SMALL_FLEET, 9, 20, 100) : Stream.of(2, 6, 20))
                .flatMap(processes -> Seeds.of(1, 20).mapToObj(seed -> new Case(processes, seed)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theJobOfAKilledProcessRunsElsewhere(Case each) {
        Duration bound = TIMEOUT.multipliedBy(5).dividedBy(2).plus(AT_ONCE);
        try (Scene scene = new Scene(each, TIMEOUT)) {
            scene.run();

            scene.killAllBut(1 + scene.random.nextInt(Math.min(SURVIVORS_MAX, each.processes - 1)));

            scene.assertRunsElsewhere(each.processes <= SMALL_FLEET ? bound : bound.plus(LONGEST_PAUSE));
        }
    }

    /** Those that have nothing to do with the type hear of that at once. */
    @ParameterizedTest
    @MethodSource("cases")
    void aShorterTimeoutHoldsAtOnce(Case each) {
        try (Scene scene = new Scene(each, Duration.ofHours(1))) {
            scene.run();
            scene.killRunner();

            scene.setTimeout(TIMEOUT);

            scene.assertRunsElsewhere(TIMEOUT.multipliedBy(5).dividedBy(2).plus(AT_ONCE));
        }
    }

    private static final class Scene implements AutoCloseable {
        private final Simulation simulation;
        private final RandomGenerator random;
        private final CouchJobs client;
        private final List<SimulatedProcess> processes = new ArrayList<>();
        private @Nullable SimulatedProcess runner;

        Scene(Case each, Duration timeout) {
            simulation = Simulation.builder(each.seed).calm().build();
            random = simulation.random();
            client = jobs(simulation.process("client"));
            setTimeout(timeout);
            for (int i = 0; i < each.processes; i++) {
                start();
            }
            simulation.advance(KNOWN);
        }

        void setTimeout(Duration timeout) {
            simulation.await(client.types().setTypeTimeout(simulation.database(), MAIL, timeout));
        }

        private void start() {
            SimulatedProcess process = simulation.process("worker");
            processes.add(process);
            jobs(process)
                    .worker()
                    .concurrency(1 + random.nextInt(2))
                    .executor(process.scheduler())
                    .handleAsync(MAIL, job -> work(process, job.id()))
                    .start();
        }

        /** The first process that runs the job does not end it. */
        private CompletableFuture<Void> work(SimulatedProcess process, String id) {
            if (id.equals("long") && runner == null) {
                runner = process;
                return new CompletableFuture<>();
            }
            return CompletableFuture.completedFuture(null);
        }

        private static CouchJobs jobs(SimulatedProcess process) {
            return CouchJobs.builder(process.database())
                    .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                    .build();
        }

        /** Lets a process run the job, after some others. */
        void run() {
            int others = random.nextInt(4);
            for (int i = 0; i < others; i++) {
                add("short-" + i);
                simulation.advance(Duration.ofMillis(random.nextInt(5_000)));
            }
            add("long");
            simulation.advance(Duration.ofMillis(1_000 + random.nextInt(100_000)));
            assertThat(runner).isNotNull();
        }

        private void add(String id) {
            simulation.await(
                    client.add(simulation.database(), NewJob.of(MAIL, "data").id(id)));
        }

        void killRunner() {
            kill(Objects.requireNonNull(runner, "no job runs"));
        }

        void killAllBut(int survivors) {
            killRunner();
            while (processes.size() > survivors) {
                kill(processes.get(random.nextInt(processes.size())));
            }
        }

        private void kill(SimulatedProcess process) {
            processes.remove(process);
            process.kill();
        }

        void assertRunsElsewhere(Duration within) {
            simulation.advance(within);
            assertThat(simulation.await(client.getJob(simulation.database(), MAIL, "long")))
                    .hasValueSatisfying(job -> assertThat(job.outcome()).isPresent());
        }

        @Override
        public void close() {
            simulation.close();
        }
    }
}
