package dev.couchjobs.topics.closing;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.fdb.testing.Application;
import dev.couchjobs.topics.ChangePublisher;
import dev.couchjobs.topics.JobChanged;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When consumers and publishers are closed, no thread of theirs is left, and no class of the application. */
class ClosedConsumerTest {
    @ParameterizedTest
    @ValueSource(classes = {Consuming.class, Publishing.class, DatabaseFirst.class})
    void anApplicationWithTheLibraryLeavesNothing(Class<?> application, @TempDir Path directory) {
        Application.withAllClasses(application).assertLeavesNothing(directory);
    }

    /** The static state of the library holds nothing of the application. */
    @ParameterizedTest
    @ValueSource(classes = {Consuming.class, Publishing.class, DatabaseFirst.class})
    void anApplicationBesideTheLibraryLeavesNothing(Class<?> application, @TempDir Path directory) {
        for (int i = 0; i < 2; i++) {
            Application.withOwnClasses(application).assertLeavesNothing(directory);
        }
    }

    public record Order(String item) {}

    private static final Topic<Order> ORDERS = Topic.of("orders", Order.class);

    public static class Consuming implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            try (Database database = Databases.inMemory()) {
                Topics topics = Topics.on(database);
                topics.create(database, ORDERS, TopicSettings.partitions(2)).join();
                CountDownLatch handled = new CountDownLatch(3);
                try (TopicConsumer quick = topics.group(ORDERS, "packers")
                                .consumer()
                                .handle(messages -> messages.forEach(message -> count(handled, message.value())))
                                .start();
                        TopicConsumer joining = topics.group(ORDERS, "clerks")
                                .consumer()
                                .inTransaction((tx, messages) -> {})
                                .start()) {
                    database.run(tx -> {
                        topics.append(tx, ORDERS, NewMessage.of(new Order("pen")))
                                .join();
                        return topics.append(tx, ORDERS, NewMessage.of(new Order("ink")))
                                .join();
                    });
                    topics.append(database, ORDERS, NewMessage.of(new Order("paper")))
                            .join();
                    await(handled);
                    assertThat(quick.name()).isNotEqualTo(joining.name());
                }
            }
        }

        private static void count(CountDownLatch handled, Order order) {
            if (!order.item().isEmpty()) {
                handled.countDown();
            }
        }
    }

    public static class Publishing implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            JobType<Order, Void> type = JobType.of("order", Order.class);
            Topic<JobChanged> changes = Topic.of("changes", JobChanged.class);
            try (Database database = Databases.inMemory();
                    CouchJobs jobs = CouchJobs.on(database)) {
                Topics topics = Topics.on(database);
                topics.create(database, changes, TopicSettings.partitions(1)).join();
                CountDownLatch handled = new CountDownLatch(1);
                try (ChangePublisher publisher =
                                topics.publishChanges(jobs, type, changes).join();
                        TopicConsumer reader = topics.group(changes, "readers")
                                .consumer()
                                .handle(messages -> messages.forEach(message -> handled.countDown()))
                                .start()) {
                    jobs.add(database, type, "a", new Order("pen")).join();
                    await(handled);
                    assertThat(reader.name()).isNotEmpty();
                    assertThat(publisher).isNotNull();
                }
            }
        }
    }

    /** What stands on a database that is closed ends at once; it cannot say so in the database. */
    public static class DatabaseFirst implements Consumer<Path> {
        private static final Duration PROMPTLY = Duration.ofSeconds(8);

        @Override
        public void accept(Path directory) {
            JobType<Order, Void> type = JobType.of("order", Order.class);
            Topic<JobChanged> changes = Topic.of("changes", JobChanged.class);
            try (Database database = Databases.inMemory();
                    CouchJobs jobs = CouchJobs.on(database)) {
                Topics topics = Topics.on(database);
                topics.create(database, changes, TopicSettings.partitions(2)).join();
                CountDownLatch handled = new CountDownLatch(1);
                try (ChangePublisher publisher =
                                topics.publishChanges(jobs, type, changes).join();
                        TopicConsumer reader = topics.group(changes, "readers")
                                .consumer()
                                .handle(messages -> messages.forEach(message -> handled.countDown()))
                                .start()) {
                    jobs.add(database, type, "a", new Order("pen")).join();
                    await(handled);
                    closeNow(database);
                    for (CompletableFuture<Void> stopped : List.of(publisher.stop(), reader.stop())) {
                        assertThat(stopped.handle((done, error) -> true)).succeedsWithin(PROMPTLY);
                    }
                }
            }
        }

        private static void closeNow(Database database) {
            database.close();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
