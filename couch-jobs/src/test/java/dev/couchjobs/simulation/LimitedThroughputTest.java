package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** How many short jobs many processes run at the latencies of a cluster, with limits of their type and without. */
class LimitedThroughputTest {
    private static final JobType<Integer, String> TYPE = JobType.of("simulated", Integer.class, String.class);
    private static final long SEED = 5;
    private static final Duration READ = Duration.ofMillis(1);
    private static final Duration COMMIT = Duration.ofMillis(3);
    private static final int PROCESSES = 8;
    private static final int SLOTS = 10;
    private static final int JOB_MILLIS = 10;
    private static final int JOBS = 6_000;
    private static final int ADDED_AT_ONCE = 500;
    private static final Duration WARM_UP = Duration.ofMillis(200);
    private static final Duration MEASURED = Duration.ofMillis(300);

    private static int jobsRun(BiFunction<SimulatedProcess, CouchJobs, CompletableFuture<?>> prepare) {
        try (Simulation simulation =
                Simulation.builder(SEED).calm().latency(READ, COMMIT).build()) {
            SimulatedProcess producer = simulation.process("producer");
            CouchJobs jobs = EffectHandler.instance(producer);
            simulation.await(prepare.apply(producer, jobs));
            for (int added = 0; added < JOBS; added += ADDED_AT_ONCE) {
                simulation.await(
                        jobs.addAll(producer.database(), Collections.nCopies(ADDED_AT_ONCE, NewJob.of(TYPE, 1))));
            }
            AtomicInteger ran = new AtomicInteger();
            for (int i = 0; i < PROCESSES; i++) {
                startWorker(simulation.process("worker"), ran);
            }
            simulation.advance(WARM_UP);
            int before = ran.get();
            simulation.advance(MEASURED);
            return ran.get() - before;
        }
    }

    private static void startWorker(SimulatedProcess process, AtomicInteger ran) {
        EffectHandler.instance(process)
                .worker()
                .handleAsync(TYPE, job -> {
                    CompletableFuture<String> done = new CompletableFuture<>();
                    var unused = process.scheduler()
                            .schedule(
                                    () -> {
                                        ran.incrementAndGet();
                                        done.complete("done");
                                    },
                                    JOB_MILLIS,
                                    TimeUnit.MILLISECONDS);
                    return done;
                })
                .concurrency(SLOTS)
                .executor(process.scheduler())
                .start();
    }

    @Test
    void limitsFarAboveTheNumberOfRunningJobsCostLittle() {
        int unlimited = jobsRun((process, jobs) -> CompletableFuture.completedFuture(jobs));
        int limited = jobsRun((process, jobs) -> jobs.limits().setTotal(process.database(), TYPE, 1_000));
        int rated = jobsRun((process, jobs) ->
                jobs.limits().setRate(process.database(), TYPE, Rate.perWindow(100_000, Duration.ofSeconds(1))));

        assertThat(unlimited)
                .isGreaterThan((int) (PROCESSES * SLOTS * MEASURED.toMillis() / JOB_MILLIS * 3 / 4))
                .isLessThan(JOBS);
        assertThat(limited).isGreaterThan(unlimited * 3 / 4);
        assertThat(rated).isGreaterThan(unlimited * 3 / 4);
    }
}
