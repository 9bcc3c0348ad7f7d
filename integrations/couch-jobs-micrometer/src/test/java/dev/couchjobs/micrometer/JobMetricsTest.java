package dev.couchjobs.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.NewJob;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What jobs do is found in the registry, under few names. */
@Timeout(60)
class JobMetricsTest {
    private static final JobType<Integer, Void> MAIL = JobType.of("mail", Integer.class)
            .retry(RetryPolicy.standard().attempts(2).backoff(Duration.ZERO, 1, Duration.ZERO));

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final JobMetrics metrics = JobMetrics.on(registry);
    private final Database database = EmbeddedDatabase.openInMemory();

    @AfterEach
    void close() {
        database.close();
    }

    private double counter(String name, String... tags) {
        return registry.get(name).tags(tags).counter().count();
    }

    private long attempts(String end) {
        return registry.get("couchjobs.attempts")
                .tags("type", "mail", "end", end)
                .timer()
                .count();
    }

    private double active() {
        return registry.get("couchjobs.active.attempts")
                .tags("type", "mail")
                .gauge()
                .value();
    }

    @Test
    void theWayOfJobsIsCountedAndTimed() throws InterruptedException {
        CountDownLatch ends = new CountDownLatch(4);
        JobsListener counting = new JobsListener() {
            @Override
            public void ended(Ended event) {
                ends.countDown();
            }
        };
        try (CouchJobs jobs =
                CouchJobs.builder(database).listener(metrics).listener(counting).build()) {
            jobs.addAll(database, List.of(NewJob.of(MAIL, 1), NewJob.of(MAIL, 2), NewJob.of(MAIL, 3)))
                    .join();
            var unused = jobs.worker()
                    .process(MAIL, job -> {
                        if (job.data() == 2) {
                            throw new PermanentFailureException("never");
                        }
                        if (job.data() == 3 && job.attempt() == 1) {
                            throw new IllegalStateException("not yet");
                        }
                    })
                    .start();
            ends.await();
        }

        assertThat(counter("couchjobs.added.jobs", "type", "mail")).isEqualTo(3);
        assertThat(counter("couchjobs.claimed.jobs", "type", "mail")).isEqualTo(4);
        assertThat(attempts("succeeded")).isEqualTo(2);
        assertThat(attempts("failed")).isEqualTo(1);
        assertThat(attempts("retried")).isEqualTo(1);
        assertThat(active()).isZero();
        assertThat(registry.get("couchjobs.transactions")
                        .tags("purpose", "add all", "result", "committed")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void attemptsAreActiveUntilTheyEndOrAreLost() {
        metrics.started(new JobsListener.Started("mail", "a", 1));
        metrics.started(new JobsListener.Started("mail", "b", 1));
        assertThat(active()).isEqualTo(2);

        metrics.lost(new JobsListener.Lost("mail", "a", 1, true, true));
        metrics.lost(new JobsListener.Lost("mail", "c", 1, false, false));
        metrics.ended(new JobsListener.Ended(
                "mail", "b", 1, AttemptEnd.SUCCEEDED, false, Duration.ofMillis(5), Optional.empty()));

        assertThat(active()).isZero();
        assertThat(counter("couchjobs.lost.claims", "cause", "cancelled")).isEqualTo(1);
        assertThat(counter("couchjobs.lost.claims", "cause", "other")).isEqualTo(1);
    }

    @Test
    void lateHeartbeatsAreCountedByJobs() {
        metrics.heartbeatsLate(
                new JobsListener.HeartbeatsLate("mail", 3, Duration.ofSeconds(20), Duration.ofSeconds(30)));

        assertThat(counter("couchjobs.late.heartbeats", "type", "mail")).isEqualTo(3);
    }

    @Test
    void retriesAndFailuresOfTransactionsAreToldApart() {
        metrics.transactionEnded(
                new JobsListener.TransactionEnded("accept", "mail", 3, 1, Duration.ofMillis(5), Optional.empty()));
        metrics.transactionEnded(new JobsListener.TransactionEnded(
                "accept", "mail", 1, 0, Duration.ofMillis(5), Optional.of(new IllegalStateException())));

        assertThat(counter("couchjobs.transactions.retries", "purpose", "accept"))
                .isEqualTo(2);
        assertThat(counter("couchjobs.transactions.conflicts", "purpose", "accept"))
                .isEqualTo(1);
        assertThat(registry.get("couchjobs.transactions")
                        .tags("result", "failed")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void tenThousandTypesMakeAHundredMeters() {
        for (int i = 0; i < 10_000; i++) {
            metrics.added(new JobsListener.Added("type-" + i, 1));
        }

        assertThat(registry.find("couchjobs.added.jobs").counters()).hasSize(101);
        assertThat(registry.get("couchjobs.added.jobs")
                        .tags(Tags.of("type", "other"))
                        .counter()
                        .count())
                .isEqualTo(9_900);
    }
}
