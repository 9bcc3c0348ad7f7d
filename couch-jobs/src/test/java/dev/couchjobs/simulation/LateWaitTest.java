package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobChanges;
import dev.couchjobs.JobType;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A call that waits for changes comes while another one's look at the database is on its way. */
class LateWaitTest {
    private static final JobType<Long, String> TYPE = JobType.of("simulated", Long.class, String.class);
    private static final Duration READ = Duration.ofMillis(25);
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    @Test
    void aCallIsAnsweredByAChangeThatTheLookOfAnotherHasSeen() {
        for (int millis = 0; millis < 200; millis += 5) {
            try (Simulation simulation =
                    Simulation.builder(7).calm().latency(READ, READ).build()) {
                SimulatedProcess process = simulation.process("reader");
                CouchJobs jobs = EffectHandler.instance(process);
                JobChanges changes = jobs.changes();
                simulation.await(jobs.add(process.database(), TYPE, "j", 1L));
                Versionstamp now = simulation.await(changes.now(process.database()));

                CompletableFuture<Boolean> next = changes.await(TYPE, now, TIMEOUT);
                CompletableFuture<Boolean> nextOfAny = changes.await(now, TIMEOUT);
                simulation.advance(Duration.ofMillis(millis));
                CompletableFuture<Boolean> late = changes.await(TYPE, JobChanges.OLDEST, TIMEOUT);
                CompletableFuture<Boolean> lateOfAny = changes.await(JobChanges.OLDEST, TIMEOUT);
                simulation.advance(Duration.ofSeconds(2));

                assertThat(late).as("after %s ms", millis).isCompletedWithValue(true);
                assertThat(lateOfAny).as("after %s ms", millis).isCompletedWithValue(true);
                assertThat(next).isNotDone();
                assertThat(nextOfAny).isNotDone();
            }
        }
    }
}
