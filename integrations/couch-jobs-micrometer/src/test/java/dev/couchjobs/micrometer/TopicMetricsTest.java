package dev.couchjobs.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import dev.couchjobs.topics.TopicsListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What topics do is found in the registry, under few names. */
@Timeout(60)
class TopicMetricsTest {
    private static final Topic<String> NEWS = Topic.of("news", String.class);
    private static final Topic<String> DEAD = Topic.of("dead", String.class);

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final Database database = EmbeddedDatabase.openInMemory();

    @AfterEach
    void close() {
        database.close();
    }

    private double counter(String name, String... tags) {
        return registry.get(name).tags(tags).counter().count();
    }

    @Test
    void theWayOfMessagesIsCountedAndTimed() throws InterruptedException {
        CountDownLatch dead = new CountDownLatch(1);
        CountDownLatch good = new CountDownLatch(2);
        Topics topics = Topics.builder(database)
                .listener(TopicMetrics.on(registry))
                .listener(new TopicsListener() {
                    @Override
                    public void deadLettered(MessageDeadLettered event) {
                        dead.countDown();
                    }

                    @Override
                    public void consumed(MessagesConsumed event) {
                        for (int i = 0; i < event.messages(); i++) {
                            good.countDown();
                        }
                    }
                })
                .build();
        var unused = topics.create(database, NEWS, TopicSettings.partitions(2)).join();
        var unusedDead =
                topics.create(database, DEAD, TopicSettings.partitions(1)).join();
        var unusedAppended = topics.appendAll(
                        database,
                        NEWS,
                        List.of(
                                NewMessage.of("bad").partition(0),
                                NewMessage.of("good").partition(0),
                                NewMessage.of("good").partition(1)))
                .join();
        try (TopicConsumer consumer = topics.group(NEWS, "readers")
                .consumer()
                .retry(RetryPolicy.standard().attempts(2).backoff(Duration.ZERO, 1, Duration.ZERO))
                .deadLetters(DEAD)
                .handle(messages -> {
                    if (messages.stream().anyMatch(message -> message.value().equals("bad"))) {
                        throw new IllegalStateException("bad");
                    }
                })
                .start()) {
            assertThat(consumer.name()).isNotEmpty();
            dead.await();
            good.await();
        }

        String[] tags = {"topic", "news", "group", "readers"};
        assertThat(counter("couchjobs.topics.appended", "topic", "news")).isEqualTo(3);
        assertThat(counter("couchjobs.topics.consumed", tags)).isEqualTo(2);
        assertThat(registry.get("couchjobs.topics.batches").tags(tags).timer().count())
                .isEqualTo(2);
        assertThat(counter("couchjobs.topics.failures", tags)).isEqualTo(2);
        assertThat(counter("couchjobs.topics.dead", tags)).isEqualTo(1);
        assertThat(counter("couchjobs.topics.taken.partitions", tags)).isEqualTo(2);
    }

    @Test
    void aListenerThatThrowsChangesNothing() {
        Topics topics = Topics.builder(database)
                .listener(new TopicsListener() {
                    @Override
                    public void appended(MessagesAppended event) {
                        throw new IllegalStateException("listener");
                    }
                })
                .build();
        var unused = topics.create(database, NEWS, TopicSettings.partitions(1)).join();
        assertThat(topics.append(database, NEWS, NewMessage.of("a")).join().partition())
                .isZero();
    }

    @Test
    void furtherTopicsAndGroupsShareATag() {
        TopicMetrics metrics = TopicMetrics.on(registry);
        for (int i = 0; i < 102; i++) {
            metrics.partitionLost(new TopicsListener.PartitionLost("topic-" + i, "group-" + i, 0));
        }

        assertThat(counter("couchjobs.topics.lost.partitions", "topic", "other", "group", "other"))
                .isEqualTo(2);
    }
}
