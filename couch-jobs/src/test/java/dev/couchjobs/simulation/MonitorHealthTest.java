package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Health;
import dev.couchjobs.HealthStatus;
import dev.couchjobs.JobType;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.fdb.testing.Samples;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A check finds out that no process monitors the jobs that run, whatever the seed, and only then. */
@Tag("long")
class MonitorHealthTest {
    private static final JobType<String, ?> MAIL = JobType.of("mail", String.class);

    private static CouchJobs instance(VirtualStage stage) {
        return CouchJobs.builder(stage.database())
                .environment(stage.environment())
                .build();
    }

    private static Health check(VirtualStage stage, CouchJobs jobs) {
        return stage.await(jobs.health().check());
    }

    @Test
    void allProcessesDie() {
        Samples.check(30, samples -> {
            long seed = samples.seed();
            int timeoutSeconds = samples.between(1, 120);
            int livesSeconds = samples.between(0, 200);

            try (VirtualStage stage = new VirtualStage(seed);
                    CouchJobs observer = instance(stage)) {
                Database database = stage.database();
                Duration timeout = Duration.ofSeconds(timeoutSeconds);
                stage.await(observer.types().setTypeTimeout(database, MAIL, timeout));
                stage.await(observer.add(database, MAIL, "a", "data"));
                try (CouchJobs dying = instance(stage)) {
                    var job = stage.await(dying.processor().accept(MAIL)).orElseThrow();
                    for (int i = 0; i < livesSeconds * 2; i++) {
                        stage.time().advance(Duration.ofMillis(500));
                        job = stage.await(dying.processor().update(database, job));
                        assertThat(check(stage, observer).reasons()).isEmpty();
                    }
                }
                assertThat(check(stage, observer).reasons()).isEmpty();

                stage.time().advance(timeout.multipliedBy(2).plusSeconds(21));

                Health health = check(stage, observer);
                assertThat(health.unmonitored()).containsExactly("mail");
                assertThat(health.status()).isEqualTo(HealthStatus.DEGRADED);

                observer.maintenance().monitor(MAIL);
                stage.time().advance(timeout.multipliedBy(2).plusSeconds(10));
                assertThat(check(stage, observer).unmonitored()).isEmpty();
            }
        });
    }
}
