package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.PageRequest;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.simulation.SimulationBuilder;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Workers in several processes while everything goes wrong: each job's effect is there once, and each comes to its end.
 */
@Tag("long")
class WorkersUnderFaultsTest {
    private static final JobType<Integer, String> TYPE = JobType.of("simulated", Integer.class, String.class)
            .retry(RetryPolicy.standard().attempts(1_000).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)));
    private static final byte[] EFFECTS = Tuple.from("effects").pack();
    private static final int JOBS = 40;
    /** Clocks jump by up to 20 seconds about once a second: one may be minutes ahead when a retry is set. */
    private static final Duration LATEST_RETRY = Duration.ofMinutes(15);
    /** A job that is tried again later by such a clock does not end here. */
    private static final List<Fault> PUT_OFF_FOR_DAYS = List.of(Fault.WRONG_DATE, Fault.DATE_JUMP);

    static LongStream seeds() {
        return Seeds.of(10, 300);
    }

    /** To replay one: {@code ./mvnw verify -pl couch-jobs -am -Dtest=WorkersUnderFaultsTest -Dsimulation.seed=N}. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyJobHasItsEffectOnce(long seed) {
        SimulationBuilder builder = Simulation.builder(seed);
        PUT_OFF_FOR_DAYS.forEach(builder::without);
        try (Simulation simulation = builder.build()) {
            CouchJobs client = CouchJobs.builder(simulation.database())
                    .environment(environment(simulation.process("client")))
                    .build();
            simulation.await(client.types().setTypeTimeout(simulation.database(), TYPE, Duration.ofSeconds(2)));
            simulation.onDeath(dead -> join(simulation));
            join(simulation);
            join(simulation);
            for (int i = 0; i < JOBS; i++) {
                simulation.await(client.add(simulation.database(), TYPE, "j" + i, i));
            }
            simulation.advance(Duration.ofSeconds(10));
            simulation.calm();
            join(simulation);
            simulation.advance(LATEST_RETRY);

            List<JobSummary> jobs = simulation
                    .await(client.list(simulation.database(), TYPE, PageRequest.of(2 * JOBS)))
                    .items();
            List<KeyValue> effects = simulation.await(simulation
                    .database()
                    .readAsync(tx -> tx.getRange(Range.startsWith(EFFECTS)).asList()));
            assertThat(jobs)
                    .hasSize(JOBS)
                    .allSatisfy(job -> assertThat(job.state()).isEqualTo(JobState.FINISHED));
            assertThat(effects)
                    .hasSize(JOBS)
                    .allSatisfy(effect -> assertThat(effect.getValue()).isEqualTo(new byte[] {1}));
        }
    }

    private static void join(Simulation simulation) {
        SimulatedProcess process = simulation.process("worker");
        CouchJobs.builder(process.database())
                .environment(environment(process))
                .build()
                .worker()
                .handleAsync(TYPE, job -> work(process, job))
                .concurrency(5)
                .executor(process.scheduler())
                .start();
    }

    private static Environment environment(SimulatedProcess process) {
        return new Environment(process.clock(), process.scheduler(), process.random());
    }

    /** Takes its time, sometimes fails, and ends with its effect. */
    private static CompletableFuture<String> work(SimulatedProcess process, JobContext<Integer> job) {
        CompletableFuture<Boolean> rested = new CompletableFuture<>();
        long nanos = process.random().nextLong(Duration.ofSeconds(3).toNanos());
        var unused = process.scheduler().schedule(() -> rested.complete(true), nanos, TimeUnit.NANOSECONDS);
        if (process.random().nextInt(5) == 0) {
            return rested.thenCompose(done -> CompletableFuture.failedFuture(new IllegalStateException("bad luck")));
        }
        return rested.thenCompose(done -> job.finishAsync(tx -> effect(tx, job.id())));
    }

    private static CompletableFuture<String> effect(Transaction tx, String id) {
        tx.mutate(MutationType.ADD, Tuple.from("effects", id).pack(), new byte[] {1});
        return CompletableFuture.completedFuture("done");
    }
}
