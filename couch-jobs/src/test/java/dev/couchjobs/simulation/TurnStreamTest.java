package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A steady stream of jobs with one turn key, each of which finds the queue empty: no addition conflicts with a claim.
 */
class TurnStreamTest {
    private static final JobType<Long, String> TYPE = JobType.of("simulated", Long.class, String.class);
    private static final int JOBS = 300;
    private static final Duration BETWEEN = Duration.ofMillis(100);
    private static final long SEED = 5;

    private static Simulation simulation(Duration read, Duration commit) {
        return Simulation.builder(SEED).calm().latency(read, commit).build();
    }

    private static void startWorker(Simulation simulation, List<Long> waits) {
        SimulatedProcess process = simulation.process("worker");
        EffectHandler.instance(process)
                .worker()
                .handleAsync(TYPE, job -> {
                    waits.add(simulation.elapsed().toMillis() - job.data());
                    return CompletableFuture.completedFuture("done");
                })
                .concurrency(100)
                .executor(process.scheduler())
                .start();
    }

    private static NewJob<Long> job(Simulation simulation) {
        return NewJob.of(TYPE, simulation.elapsed().toMillis()).turnKey("tenant");
    }

    @Test
    void jobsOfAStreamStartAtOnce() {
        Duration read = Duration.ofMillis(25);
        Duration commit = Duration.ofMillis(50);
        try (Simulation simulation = simulation(read, commit)) {
            SimulatedProcess producer = simulation.process("producer");
            CouchJobs jobs = EffectHandler.instance(producer);
            List<Long> waits = new ArrayList<>();
            startWorker(simulation, waits);
            for (int i = 0; i < JOBS; i++) {
                var unused = jobs.add(producer.database(), job(simulation));
                simulation.advance(BETWEEN);
            }
            simulation.advance(Duration.ofMinutes(1));

            assertThat(waits).hasSize(JOBS);
            assertThat(waits.stream().sorted().toList().get(JOBS / 2))
                    .isLessThan(15 * read.plus(commit).toMillis());
        }
    }

    @Test
    void aLongTransactionThatAddsToTheStreamCommitsAtOnce() {
        try (Simulation simulation = simulation(Duration.ofMillis(3), Duration.ofMillis(10))) {
            SimulatedProcess producer = simulation.process("producer");
            CouchJobs jobs = EffectHandler.instance(producer);
            startWorker(simulation, new ArrayList<>());
            simulation.await(jobs.add(producer.database(), job(simulation)));
            simulation.advance(Duration.ofSeconds(1)); // the type is in use now
            AtomicInteger tries = new AtomicInteger();
            CompletableFuture<?> done = producer.database().runAsync(tx -> {
                tries.incrementAndGet();
                return jobs.add(tx, job(simulation)).thenCompose(added -> {
                    CompletableFuture<Boolean> rested = new CompletableFuture<>();
                    var unused = producer.scheduler().schedule(() -> rested.complete(true), 1, TimeUnit.SECONDS);
                    return rested;
                });
            });
            for (int i = 0; i < JOBS && !done.isDone(); i++) {
                var unused = jobs.add(producer.database(), job(simulation));
                simulation.advance(BETWEEN);
            }

            assertThat(done).isDone();
            assertThat(tries).hasValueLessThanOrEqualTo(2); // other rows of the type may change once
        }
    }
}
