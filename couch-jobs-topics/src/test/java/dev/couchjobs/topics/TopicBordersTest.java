package dev.couchjobs.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JsonCodec;
import dev.couchjobs.PageRequest;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Durations of any length, and rows that cannot be read. */
@SuppressWarnings("FutureReturnValueIgnored") // whoever runs a use gets what it returns
class TopicBordersTest {
    private static final Topic<String> NEWS = Topic.of("news", String.class);
    private static final byte[] GARBAGE = {0x7F};
    private static final List<Duration> TOO_LONG =
            List.of(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofDays(36_501), Duration.ofMillis(Long.MAX_VALUE));
    private static final List<Duration> TOO_SHORT =
            List.of(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(-1), Duration.ZERO, Duration.ofMillis(999));

    private final Database database = EmbeddedDatabase.openInMemory();
    private final Topics topics = Topics.on(database);

    private interface Use {
        Object with(TopicBordersTest test, Duration value);
    }

    private static final Map<String, Use> CHECKED = Map.of(
            "maxAge", (test, value) -> TopicSettings.partitions(1).maxAge(value),
            "compactAfter", (test, value) -> TopicSettings.partitions(1).compactAfter(value),
            "lease",
                    (test, value) ->
                            test.topics.group(NEWS, "readers").consumer().lease(value));
    /** Longer ones mean for ever. */
    private static final Map<String, Use> LIMITS = Map.of(
            "closeTimeout",
                    (test, value) ->
                            test.topics.group(NEWS, "readers").consumer().closeTimeout(value),
            "timeout of a topic", (test, value) -> test.topics.await(NEWS, Position.latest(), value),
            "timeout of a partition", (test, value) -> test.topics.await(NEWS, 0, Position.latest(), value),
            "timeout of a group",
                    (test, value) -> test.topics.group(NEWS, "readers").await(value));

    static Stream<Arguments> refused() {
        Stream<Arguments> checked = CHECKED.keySet().stream()
                .flatMap(name ->
                        Stream.concat(TOO_LONG.stream(), TOO_SHORT.stream()).map(value -> Arguments.of(name, value)));
        Stream<Arguments> limits = LIMITS.keySet().stream()
                .flatMap(name ->
                        TOO_SHORT.stream().filter(Duration::isNegative).map(value -> Arguments.of(name, value)));
        return Stream.concat(checked, limits);
    }

    static Stream<Arguments> longLimits() {
        return LIMITS.keySet().stream().flatMap(name -> TOO_LONG.stream().map(value -> Arguments.of(name, value)));
    }

    @AfterEach
    void close() {
        database.close();
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aDurationOutOfBoundsIsRefusedByName(String name, Duration value) {
        Use use = CHECKED.containsKey(name) ? CHECKED.get(name) : LIMITS.get(name);
        assertThatThrownBy(() -> Objects.requireNonNull(use).with(this, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith((name.startsWith("timeout") ? "timeout" : name) + " is ");
    }

    @ParameterizedTest
    @MethodSource("longLimits")
    void aLimitMayBeAsLongAsOneLikes(String name, Duration value) {
        topics.create(database, NEWS, TopicSettings.partitions(1)).join();
        topics.group(NEWS, "readers").create(database, Position.earliest()).join();

        Object begun = Objects.requireNonNull(LIMITS.get(name)).with(this, value);

        if (begun instanceof CompletableFuture<?> wait) {
            topics.append(database, NEWS, NewMessage.of("a message")).join();
            assertThat(wait.join()).isEqualTo(true);
        }
    }

    private void damage(Predicate<Tuple> which) {
        List<byte[]> damaged = new ArrayList<>();
        database.run(tx -> {
            for (KeyValue row : tx.getRange(new byte[0], new byte[] {(byte) 0xFF})) {
                if (which.test(Tuple.fromBytes(row.getKey()))) {
                    tx.set(row.getKey(), GARBAGE);
                    damaged.add(row.getKey());
                }
            }
            return true;
        });
        assertThat(damaged).isNotEmpty();
    }

    @Test
    void aTopicThatCannotBeReadIsLeftOutOfPages() {
        for (String name : List.of("a", "b", "c", "d", "e")) {
            topics.create(database, Topic.of(name, String.class), TopicSettings.partitions(1))
                    .join();
        }
        damage(key -> key.getItems().contains("b") || key.getItems().contains("d"));

        List<String> names = new ArrayList<>();
        PageRequest request = PageRequest.of(2);
        var page = topics.list(database, request).join();
        page.items().forEach(topic -> names.add(topic));
        while (page.next().isPresent()) {
            request = request.after(page.next().get());
            page = topics.list(database, request).join();
            page.items().forEach(topic -> names.add(topic));
        }

        assertThat(names).containsExactly("a", "c", "e");
    }

    /** A message without a value would delete those with its key. */
    @Test
    @SuppressWarnings("NullAway") // a codec that gives null is the case
    void aCodecThatWritesNullAppendsNothing() {
        JsonCodec none = new JsonCodec() {
            @Override
            public byte[] write(Object value, Type type) {
                return null;
            }

            @Override
            public Object read(byte[] json, Type type) {
                return "";
            }
        };
        topics.create(database, NEWS, TopicSettings.partitions(1).compactAfter(Duration.ofMinutes(1)))
                .join();
        Topics writing = Topics.builder(database).codec(none).build();

        assertThatThrownBy(
                        () -> writing.append(database, NEWS, NewMessage.of("a").key("k"))
                                .join())
                .hasStackTraceContaining("PayloadException")
                .hasStackTraceContaining("the codec has returned null");
        assertThat(topics.latest(database, NEWS, "k").join()).isEmpty();
    }

    @Test
    void aSeekRepairsAPartitionOfAGroup() {
        topics.create(database, NEWS, TopicSettings.partitions(2)).join();
        ConsumerGroup<String> group = topics.group(NEWS, "readers");
        group.create(database, Position.earliest()).join();
        topics.append(database, NEWS, NewMessage.of("first").partition(1)).join();
        group.poll(database, 1, 1).join();
        damage(key -> key.getItems().contains("claim"));

        group.seek(database, 1, Position.earliest()).join();

        assertThat(group.poll(database, 1, 1).join()).hasSize(1);
    }
}
