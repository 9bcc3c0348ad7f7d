package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.fdb.testing.Samples;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How long a processor may be silent, to the nanosecond, whatever the seed and wherever in time it was last heard of.
 */
@Tag("long")
class LeaseTest {
    private static final JobType<String, ?> MAIL = JobType.of("mail", String.class);
    private static final Duration LONG = Duration.ofDays(1);
    private static final byte[] IN_USE = Tuple.from("couch_jobs", "in_use").pack();

    @Test
    void aJobIsPutBackBetweenOnceAndOneAndAHalfTimesTheTimeoutAfterItsLastSignOfLife() {
        Samples.check(100, samples -> {
            long seed = samples.seed();
            int seconds = samples.between(1, 60);
            List<Integer> permilleBetweenSignsOfLife = samples.list(0, 5, each -> each.between(0, 999));

            Duration timeout = Duration.ofSeconds(seconds);
            try (VirtualStage stage = new VirtualStage(seed);
                    CouchJobs jobs = instance(stage);
                    CouchJobs monitor = instance(stage)) {
                Database database = stage.database();
                stage.await(jobs.types().setTypeTimeout(database, MAIL, timeout));
                monitor.maintenance().monitor(MAIL);
                stage.await(jobs.add(database, MAIL, "a", "data"));
                Job<String> job = stage.await(jobs.processor().accept(MAIL)).orElseThrow();
                for (int permille : permilleBetweenSignsOfLife) {
                    stage.time().advance(timeout.multipliedBy(permille).dividedBy(1_000));
                    job = stage.await(jobs.processor().update(database, job));
                }
                Duration lastHeardOf = now(stage);
                Subscription<String> subscription = stage.await(jobs.subscribe(database, MAIL, "a"));

                assertThat(stage.await(subscription.awaitEvent(JobState.PENDING, LONG)))
                        .isPresent();

                assertThat(now(stage).minus(lastHeardOf))
                        .isBetween(timeout, timeout.multipliedBy(3).dividedBy(2));
            }
        });
    }

    /** The one that claims it also monitors its type. */
    @Test
    void aJobIsPutBackAsSoonIfTheProcessThatMonitorsItDiesWithItsProcessor() {
        Samples.check(100, samples -> {
            long seed = samples.seed();
            int seconds = samples.between(1, 60);
            int others = samples.between(1, 5);
            List<Integer> permilleBetweenSignsOfLife = samples.list(0, 5, each -> each.between(0, 999));

            Duration timeout = Duration.ofSeconds(seconds);
            try (VirtualStage stage = new VirtualStage(seed);
                    CouchJobs client = instance(stage)) {
                Database database = stage.database();
                stage.await(client.types().setTypeTimeout(database, MAIL, timeout));
                List<CouchJobs> monitors =
                        Stream.generate(() -> instance(stage)).limit(others).toList();
                monitors.forEach(each -> each.maintenance().monitor(MAIL));
                stage.time().advance(Duration.ofHours(1));
                stage.await(client.add(database, MAIL, "a", "data"));
                try (CouchJobs dying = instance(stage)) {
                    Job<String> job =
                            stage.await(dying.processor().accept(MAIL)).orElseThrow();
                    for (int permille : permilleBetweenSignsOfLife) {
                        stage.time().advance(timeout.multipliedBy(permille).dividedBy(1_000));
                        job = stage.await(dying.processor().update(database, job));
                    }
                }
                Duration lastHeardOf = now(stage);
                Subscription<String> subscription = stage.await(client.subscribe(database, MAIL, "a"));

                assertThat(stage.await(subscription.awaitEvent(JobState.PENDING, LONG)))
                        .isPresent();

                assertThat(now(stage).minus(lastHeardOf))
                        .isBetween(timeout, timeout.multipliedBy(3).dividedBy(2));
                monitors.forEach(CouchJobs::close);
            }
        });
    }

    @Test
    void aJobIsPutBackAsSoonWhileOtherTypesComeIntoUse() {
        Samples.check(10, samples -> {
            long seed = samples.seed();
            int seconds = samples.between(10, 60);

            Duration timeout = Duration.ofSeconds(seconds);
            try (VirtualStage stage = new VirtualStage(seed);
                    CouchJobs client = instance(stage);
                    CouchJobs monitor = instance(stage)) {
                Database database = stage.database();
                stage.await(client.types().setTypeTimeout(database, MAIL, timeout));
                monitor.maintenance().monitor(MAIL);
                stage.await(client.add(database, MAIL, "a", "data"));
                try (CouchJobs dying = instance(stage)) {
                    assertThat(stage.await(dying.processor().accept(MAIL))).isPresent();
                    stage.time().advance(Duration.ofSeconds(1));
                }

                for (int i = 0; i < timeout.multipliedBy(3).dividedBy(2).toSeconds(); i++) {
                    JobType<String, ?> other = JobType.of("other-" + i, String.class);
                    stage.await(client.types().setTypeTimeout(database, other, timeout));
                    stage.await(client.add(database, other, "b", "data"));
                    stage.time().advance(Duration.ofSeconds(1));
                }

                assertThat(stage.await(client.getJobState(database, MAIL, "a"))).isEqualTo(JobState.PENDING);
            }
        });
    }

    @Test
    void aShorterTimeoutHoldsForAJobThatRunsAlready() {
        try (VirtualStage stage = new VirtualStage(5);
                CouchJobs jobs = instance(stage)) {
            Database database = stage.database();
            stage.await(jobs.types().setTypeTimeout(database, MAIL, LONG));
            stage.await(jobs.add(database, MAIL, "a", "data"));
            assertThat(stage.await(jobs.processor().accept(MAIL))).isPresent();
            stage.time().advance(Duration.ofHours(1));

            stage.await(jobs.types().setTypeTimeout(database, MAIL, Duration.ofSeconds(10)));
            stage.time().advance(Duration.ofMinutes(10));

            assertThat(stage.await(jobs.getJobState(database, MAIL, "a"))).isEqualTo(JobState.PENDING);
        }
    }

    @Test
    void aJobIsPutBackMinutesLaterIfItIsForgottenThatItsTypeIsInUse() {
        Samples.check(10, samples -> {
            long seed = samples.seed();

            Duration timeout = Duration.ofSeconds(10);
            try (VirtualStage stage = new VirtualStage(seed);
                    CouchJobs jobs = instance(stage);
                    CouchJobs monitor = instance(stage)) {
                Database database = stage.database();
                stage.await(jobs.types().setTypeTimeout(database, MAIL, timeout));
                monitor.maintenance().monitor(MAIL);
                stage.await(jobs.add(database, MAIL, "a", "data"));
                assertThat(stage.await(jobs.processor().accept(MAIL))).isPresent();
                stage.await(database.runAsync(tx -> {
                    tx.clear(Range.startsWith(IN_USE));
                    return CompletableFuture.completedFuture(null);
                }));
                Subscription<String> subscription = stage.await(jobs.subscribe(database, MAIL, "a"));

                assertThat(stage.await(subscription.awaitEvent(
                                JobState.PENDING, Duration.ofMinutes(6).plus(timeout.multipliedBy(2)))))
                        .isPresent();
            }
        });
    }

    private static CouchJobs instance(VirtualStage stage) {
        return CouchJobs.builder(stage.database())
                .environment(stage.environment())
                .build();
    }

    private static Duration now(VirtualStage stage) {
        return Duration.ofNanos(stage.time().nanoTime());
    }
}
