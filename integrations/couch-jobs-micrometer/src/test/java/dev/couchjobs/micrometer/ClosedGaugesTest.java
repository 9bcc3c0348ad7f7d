package dev.couchjobs.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Application;
import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When gauges are closed, no thread of them is left, and nothing of the application in a registry that stays. */
@Timeout(60)
class ClosedGaugesTest {
    @Test
    void anApplicationWithTheMetersLeavesNothing(@TempDir Path directory) {
        Application.withAllClasses(Metered.class).assertLeavesNothing(directory);
    }

    @Test
    void anApplicationBesideTheMetersLeavesNothing(@TempDir Path directory) {
        for (int i = 0; i < 2; i++) {
            Application.withOwnClasses(Metered.class).assertLeavesNothing(directory);
        }
    }

    /** Sooner than anything waits for a database that is slow. */
    @Test
    @Timeout(30)
    void gaugesThatAreClosedAfterTheirDatabaseEndAtOnce(@TempDir Path directory) {
        Application.withOwnClasses(DatabaseFirst.class).assertLeavesNothing(directory);
    }

    public record Letter(String to) {}

    private static final JobType<Letter, String> MAIL = JobType.of("mail", Letter.class, String.class);
    private static final Topic<Letter> LETTERS = Topic.of("letters", Letter.class);

    /** Closes its database before what stands on it. */
    public static class DatabaseFirst implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            Metered.use(Database::close);
        }
    }

    /** Uses the registry of the process. */
    public static class Metered implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            use(database -> {});
        }

        /** @param end what happens before all is closed */
        static void use(Consumer<Database> end) {
            SimpleMeterRegistry own = new SimpleMeterRegistry();
            Metrics.addRegistry(own);
            try (Database database = EmbeddedDatabase.openInMemory();
                    CouchJobs jobs = CouchJobs.builder(database)
                            .listener(JobMetrics.on(Metrics.globalRegistry))
                            .build()) {
                Topics topics = Topics.builder(database)
                        .listener(TopicMetrics.on(Metrics.globalRegistry))
                        .build();
                use(database, jobs, topics, end);
            } finally {
                Metrics.removeRegistry(own);
                own.close();
            }
        }

        private static void use(Database database, CouchJobs jobs, Topics topics, Consumer<Database> end) {
            topics.create(database, LETTERS, TopicSettings.partitions(1)).join();
            Duration period = Duration.ofMillis(20);
            CountDownLatch handled = new CountDownLatch(1);
            try (JobGauges gauges = JobGauges.on(Metrics.globalRegistry, database, jobs, period, List.of(MAIL));
                    TopicGauges lags =
                            TopicGauges.on(Metrics.globalRegistry, database, topics, period, List.of(LETTERS));
                    Worker worker = jobs.worker()
                            .handle(MAIL, job -> "for " + job.data().to())
                            .start();
                    TopicConsumer consumer = topics.group(LETTERS, "readers")
                            .consumer()
                            .handle(messages -> handled.countDown())
                            .start()) {
                jobs.add(database, MAIL, "a", new Letter("ann")).join();
                topics.append(database, LETTERS, NewMessage.of(new Letter("ann")))
                        .join();
                assertThat(jobs.result(MAIL, "a", Duration.ofMinutes(1))).isEqualTo("for ann");
                await(handled);
                awaitValue("couchjobs.workers", 1);
                awaitValue("couchjobs.topics.lag", 0);
                awaitValue("couchjobs.active.attempts", 0);
                assertThat(List.of(gauges, lags, worker, consumer)).doesNotContainNull();
                end.accept(database);
            }
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void awaitValue(String name, double value) {
            MeterRegistry registry = Metrics.globalRegistry;
            Gauge gauge = registry.find(name).gauge();
            while (gauge == null || gauge.value() != value) {
                Polling.pause();
                gauge = registry.find(name).gauge();
            }
        }
    }
}
