package dev.couchjobs.topics.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Environment;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import dev.couchjobs.topics.ConsumerBuilder;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The row of one partition of a group is damaged: that stops this partition only, until a seek. */
@Timeout(60)
class DamagedPartitionTest {
    private static final int PARTITIONS = 3;
    private static final int DAMAGED = 1;
    private static final Duration LEASE = Duration.ofSeconds(9);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Topic<String> NEWS = Topic.of("news", String.class);

    private final VirtualScheduler time = new VirtualScheduler();
    private final RandomGenerator random = new SplittableRandom(1);
    private final Database database =
            EmbeddedDatabase.openInMemory(new EngineEnvironment(Runnable::run, time, time::nanoTime, random));
    private final Topics topics = Topics.builder(database)
            .environment(new Environment(time, time, random))
            .build();
    private final ConsumerGroup<String> group = topics.group(NEWS, "readers");
    private final Set<String> seen = new TreeSet<>();

    @AfterEach
    void close() {
        database.close();
    }

    static Stream<byte[]> damagedRows() {
        return Stream.of(
                new byte[0],
                new byte[] {0x7F},
                Tuple.from(1).pack(),
                Tuple.from(1, "x", 0, Tuple.from(), 0, null, 0, null, false, 0).pack(),
                Tuple.from(1, null, 0, Tuple.from(), 0, null, 0, null, false, 0).pack());
    }

    private <T> T await(CompletableFuture<T> future) {
        return time.await(future);
    }

    private TopicConsumer consume(UnaryOperator<ConsumerBuilder<String>> settings) {
        return await(settings.apply(group.consumer().lease(LEASE).executor(time))
                .handle(messages -> messages.forEach(message -> seen.add(message.value())))
                .startAsync());
    }

    private void append(String text) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            await(topics.append(database, NEWS, NewMessage.of(text + partition).partition(partition)));
        }
    }

    private void damage(byte[] value) {
        database.run(tx -> {
            for (KeyValue row : tx.getRange(new byte[0], new byte[] {(byte) 0xFF})) {
                Tuple key = Tuple.fromBytes(row.getKey());
                if (key.getItems().contains("claim") && key.getLong(key.size() - 1) == DAMAGED) {
                    tx.set(row.getKey(), value);
                }
            }
            return true;
        });
    }

    @ParameterizedTest
    @MethodSource("damagedRows")
    void theOtherPartitionsAreConsumed(byte[] damaged) {
        await(topics.create(database, NEWS, TopicSettings.partitions(PARTITIONS)));
        TopicConsumer first = consume(settings -> settings);
        append("a");
        time.advance(MINUTE);
        assertThat(seen).containsExactly("a0", "a1", "a2");

        damage(damaged);
        append("b");
        time.advance(MINUTE);
        assertThat(seen).contains("b0", "b2").doesNotContain("b1");

        TopicConsumer second = consume(settings -> settings); // takes one of the others
        append("c");
        time.advance(MINUTE);
        assertThat(seen).contains("c0", "c2").doesNotContain("b1", "c1");
        assertThat(await(group.describe(database)).partitions()).hasSize(PARTITIONS);

        await(group.seek(database, DAMAGED, Position.earliest()));
        time.advance(MINUTE);
        assertThat(seen).contains("b1", "c1");
        await(first.stop());
        await(second.stop());
    }

    @ParameterizedTest
    @MethodSource("damagedRows")
    void consumersThatHaveChosenIt(byte[] damaged) {
        await(topics.create(database, NEWS, TopicSettings.partitions(PARTITIONS)));
        TopicConsumer consumer = consume(settings -> settings.partitions(0, DAMAGED));
        damage(damaged);
        append("a");
        time.advance(MINUTE);
        assertThat(seen).containsExactly("a0");

        await(group.seek(database, DAMAGED, Position.earliest()));
        time.advance(MINUTE);
        assertThat(seen).containsExactly("a0", "a1");
        await(consumer.stop());
    }

    @ParameterizedTest
    @MethodSource("damagedRows")
    void aPollPassesIt(byte[] damaged) {
        await(topics.create(database, NEWS, TopicSettings.partitions(PARTITIONS)));
        await(group.create(database, Position.earliest()));
        append("a");
        damage(damaged);
        for (int i = 0; i < 2 * PARTITIONS; i++) {
            await(group.poll(database, 1)).forEach(message -> seen.add(message.value()));
        }
        assertThat(seen).containsExactly("a0", "a2");
        assertThatThrownBy(() -> await(group.poll(database, DAMAGED, 1)))
                .cause()
                .isInstanceOf(UndecodableRowException.class)
                .hasMessageContainingAll("partition 1", "readers", "seek");

        await(group.seek(database, DAMAGED, Position.earliest()));
        assertThat(await(group.poll(database, DAMAGED, 1))).hasSize(1);
    }

    /** Messages behind which the group may be are kept. */
    @ParameterizedTest
    @MethodSource("damagedRows")
    void theRetentionKeepsWhatTheGroupMayNeed(byte[] damaged) {
        await(topics.create(database, NEWS, TopicSettings.partitions(PARTITIONS).untilConsumedBy("readers")));
        TopicConsumer consumer = consume(settings -> settings);
        damage(damaged);
        append("a");
        time.advance(MINUTE.multipliedBy(3));
        List<Long> kept = await(topics.describe(database, NEWS)).orElseThrow().partitions().stream()
                .map(partition -> partition.messages())
                .toList();
        assertThat(kept).containsExactly(0L, 1L, 0L);
        await(consumer.stop());
    }
}
