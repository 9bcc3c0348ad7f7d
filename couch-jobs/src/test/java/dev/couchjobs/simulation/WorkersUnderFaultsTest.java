package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.KeyValue;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.PageRequest;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.List;
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
    private static final int JOBS = 40;
    /** Clocks jump by up to 20 seconds about once a second: one may be minutes ahead when a retry is set. */
    private static final Duration LATEST_RETRY = Duration.ofMinutes(15);

    static LongStream seeds() {
        return Seeds.of(5, 30);
    }

    /** To replay one: {@code ./mvnw verify -pl couch-jobs -am -Dtest=WorkersUnderFaultsTest -Dsimulation.seed=N}. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyJobHasItsEffectOnce(long seed) {
        try (Simulation simulation = EffectHandler.simulation(seed)) {
            SimulatedProcess process = simulation.process("client");
            CouchJobs client = CouchJobs.builder(simulation.database())
                    .environment(new Environment(process.clock(), process.scheduler(), process.random()))
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
            List<KeyValue> effects = EffectHandler.effects(simulation);
            assertThat(jobs)
                    .hasSize(JOBS)
                    .allSatisfy(job -> assertThat(job.state()).isEqualTo(JobState.FINISHED));
            assertThat(effects)
                    .hasSize(JOBS)
                    .allSatisfy(effect -> assertThat(effect.getValue()).isEqualTo(new byte[] {1}));
        }
    }

    private static void join(Simulation simulation) {
        EffectHandler.join(simulation, TYPE, 5);
    }
}
