package dev.couchjobs.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoublePredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Gauges follow the groups, say nothing that is not known, and end. */
@Timeout(60)
class TopicGaugesTest {
    private static final Topic<String> NEWS = Topic.of("news", String.class);
    private static final Topic<String> SALES = Topic.of("sales", String.class);
    private static final Duration OFTEN = Duration.ofMillis(5);

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final Database database = EmbeddedDatabase.openInMemory();
    private final Topics topics = Topics.on(database);

    @AfterEach
    void close() {
        database.close();
    }

    private void await(DoublePredicate expected, Topic<?> topic, String group) {
        while (true) {
            Gauge gauge = registry.find("couchjobs.topics.lag")
                    .tags("topic", topic.name(), "group", group)
                    .gauge();
            if (gauge != null && expected.test(gauge.value())) {
                return;
            }
            Polling.pause();
        }
    }

    private void await(double lag, Topic<?> topic, String group) {
        await(now -> now == lag, topic, group);
    }

    private ConsumerGroup<String> create(Topic<String> topic, String group) {
        topics.create(database, topic, TopicSettings.partitions(2)).join();
        ConsumerGroup<String> created = topics.group(topic, group);
        created.create(database, Position.earliest()).join();
        return created;
    }

    private void append(Topic<String> topic) {
        topics.appendAll(
                        database,
                        topic,
                        List.of(
                                NewMessage.of("a").partition(0),
                                NewMessage.of("b").partition(1)))
                .join();
    }

    @Test
    void lagsFollowTheGroupsOfAllTopics() {
        ConsumerGroup<String> readers = create(NEWS, "readers");
        append(NEWS);
        try (TopicGauges gauges = TopicGauges.on(registry, database, topics, OFTEN)) {
            assertThat(gauges).isNotNull();
            await(2, NEWS, "readers");
            append(NEWS);
            await(4, NEWS, "readers");
            readers.poll(database, 0, 2).join();
            await(2, NEWS, "readers");

            create(SALES, "billing");
            await(0, SALES, "billing");
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void aGroupThatIsDeletedHasNoGauge() {
        ConsumerGroup<String> readers = create(NEWS, "readers");
        create(SALES, "billing");
        try (TopicGauges gauges = TopicGauges.on(registry, database, topics, OFTEN)) {
            assertThat(gauges).isNotNull();
            await(0, NEWS, "readers");
            await(0, SALES, "billing");
            readers.delete(database).join();
            topics.delete(database, SALES).join();
            while (!registry.getMeters().isEmpty()) {
                Polling.pause();
            }
            create(NEWS, "readers");
            await(0, NEWS, "readers");
        }
    }

    @Test
    void afterAFailedPollNoGaugeShowsAnOldValueAndTheNextPollsGoOn() {
        ConsumerGroup<String> group = create(NEWS, "readers");
        append(NEWS);
        for (int partition = 0; partition < 2; partition++) {
            assertThat(group.poll(database, partition, 1).join()).hasSize(1);
        }
        AtomicBoolean isAway = new AtomicBoolean();
        try (TopicGauges gauges = TopicGauges.on(registry, failing(isAway), topics, OFTEN)) {
            assertThat(gauges).isNotNull();
            await(0, NEWS, "readers");
            isAway.set(true);
            await(Double::isNaN, NEWS, "readers");
            isAway.set(false);
            await(0, NEWS, "readers");
        }
    }

    /** {@return the database, which can be away} */
    private Database failing(AtomicBoolean isAway) {
        return (Database) Proxy.newProxyInstance(
                Database.class.getClassLoader(), new Class<?>[] {Database.class}, (self, method, arguments) -> {
                    if (isAway.get()) {
                        throw new IllegalStateException("away");
                    }
                    return method.invoke(database, arguments);
                });
    }

    @Test
    void onlyTheTopicsThatAreGivenHaveGauges() {
        create(NEWS, "readers");
        create(SALES, "billing");
        Topic<String> missing = Topic.of("missing", String.class);
        try (TopicGauges gauges = TopicGauges.on(registry, database, topics, OFTEN, List.of(SALES, missing))) {
            assertThat(gauges).isNotNull();
            await(0, SALES, "billing");
            assertThat(registry.getMeters()).hasSize(1);
        }
    }

    @Test
    void moreThanAHundredGroupsMakeNoMoreGauges() {
        create(NEWS, "readers");
        IntStream.range(0, 150)
                .forEach(number -> topics.group(NEWS, "group-" + number)
                        .create(database, Position.earliest())
                        .join());
        try (TopicGauges gauges = TopicGauges.on(registry, database, topics, OFTEN)) {
            assertThat(gauges).isNotNull();
            while (registry.getMeters().size() < TopicGauges.GROUPS_MAX) {
                Polling.pause();
            }
            append(NEWS);
            while (registry.find("couchjobs.topics.lag").gauges().stream().anyMatch(gauge -> gauge.value() != 2)) {
                Polling.pause();
            }
            assertThat(registry.getMeters()).hasSize(TopicGauges.GROUPS_MAX);
        }
        List<Topic<String>> many = IntStream.range(0, 150)
                .mapToObj(number -> Topic.of("topic-" + number, String.class))
                .toList();
        assertThatThrownBy(() -> TopicGauges.on(registry, database, topics, OFTEN, many))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("150");
        assertThatThrownBy(() -> TopicGauges.on(registry, database, topics, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
