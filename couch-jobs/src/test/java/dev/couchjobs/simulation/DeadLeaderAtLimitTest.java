package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A type stays at its limit for long, or a limit key without tokens, so its leader waits although a job is due. Such a
 * leader is not taken for a dead one, and if it does die, that is found out once a job may be claimed.
 */
@Tag("long")
class DeadLeaderAtLimitTest {
    private static final JobType<String, Void> MAIL = JobType.of("mail", String.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(8);
    private static final int WORKERS = 4;

    static LongStream seeds() {
        return Seeds.of(2, 8);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aJobRunsSoonAfterTheLimitIsRaisedAlthoughTheLeaderHasDied(long seed) {
        try (Simulation simulation = Simulation.builder(seed).calm().build()) {
            CouchJobs client = jobs(simulation.process("client"));
            simulation.await(client.types().setTypeTimeout(simulation.database(), MAIL, TIMEOUT));
            simulation.await(client.limits().setTotal(simulation.database(), MAIL, 1));
            AtomicInteger holds = new AtomicInteger();
            work(simulation, holds, new CompletableFuture<>());
            add(simulation, client, 0);
            simulation.advance(Duration.ofSeconds(5));
            List<SimulatedProcess> processes = new ArrayList<>();
            AtomicInteger starts = new AtomicInteger();
            for (int i = 0; i < WORKERS; i++) {
                processes.add(work(simulation, starts, CompletableFuture.completedFuture(null)));
            }
            add(simulation, client, 1);
            simulation.advance(Duration.ofMinutes(40));
            for (int left = WORKERS - 1; left > 0; left--) {
                processes.remove(simulation.random().nextInt(processes.size())).kill();
            }

            simulation.await(client.limits().setTotal(simulation.database(), MAIL, 2));
            simulation.advance(TIMEOUT.multipliedBy(2));

            assertThat(holds).hasValue(1);
            assertThat(starts).hasValue(1);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aJobRunsAfterThereIsATokenAlthoughTheLeaderHasDied(long seed) {
        try (Simulation simulation = Simulation.builder(seed).calm().build()) {
            CouchJobs client = jobs(simulation.process("client"));
            simulation.await(client.types().setTypeTimeout(simulation.database(), MAIL, TIMEOUT));
            simulation.await(client.limits()
                    .setRate(simulation.database(), MAIL, "key", Rate.evenly(1, Duration.ofMinutes(30), 1)));
            List<SimulatedProcess> processes = new ArrayList<>();
            AtomicInteger starts = new AtomicInteger();
            for (int i = 0; i < WORKERS; i++) {
                processes.add(work(simulation, starts, CompletableFuture.completedFuture(null)));
            }
            for (int i = 0; i < 2; i++) {
                simulation.await(client.add(
                        simulation.database(), NewJob.of(MAIL, "data").limitKey("key")));
            }
            simulation.advance(Duration.ofMinutes(29));
            assertThat(starts).hasValue(1);
            for (int left = WORKERS - 1; left > 0; left--) {
                processes.remove(simulation.random().nextInt(processes.size())).kill();
            }

            simulation.advance(Duration.ofMinutes(8)); // the type is no longer in use, which is looked at every five

            assertThat(starts).hasValue(2);
        }
    }

    @Test
    void aJobRunsWhenThereIsATokenAndNoProcessPolls() {
        try (Simulation simulation = Simulation.builder(1).calm().build()) {
            CouchJobs client = jobs(simulation.process("client"));
            simulation.await(client.limits()
                    .setRate(simulation.database(), MAIL, "key", Rate.evenly(1, Duration.ofMinutes(30), 1)));
            AtomicInteger starts = new AtomicInteger();
            for (int i = 0; i < WORKERS; i++) {
                work(simulation, starts, CompletableFuture.completedFuture(null));
            }
            for (int i = 0; i < 2; i++) {
                simulation.await(client.add(
                        simulation.database(), NewJob.of(MAIL, "data").limitKey("key")));
            }
            simulation.advance(Duration.ofMinutes(30).minusSeconds(1));
            assertThat(starts).hasValue(1);

            simulation.advance(Duration.ofSeconds(2));

            assertThat(starts).hasValue(2);
        }
    }

    private static void add(Simulation simulation, CouchJobs client, int number) {
        simulation.await(
                client.add(simulation.database(), NewJob.of(MAIL, "data").id("job-" + number)));
    }

    /** A process whose jobs end when a future completes. */
    private static SimulatedProcess work(Simulation simulation, AtomicInteger starts, CompletableFuture<Void> end) {
        SimulatedProcess process = simulation.process("worker");
        var unused = jobs(process)
                .worker()
                .concurrency(1)
                .executor(process.scheduler())
                .handleAsync(MAIL, job -> {
                    starts.incrementAndGet();
                    return end;
                })
                .start();
        return process;
    }

    private static CouchJobs jobs(SimulatedProcess process) {
        return CouchJobs.builder(process.database())
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .build();
    }
}
