package dev.couchjobs.topics.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.topics.AppendResultUnknownException;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicInfo.PartitionInfo;
import dev.couchjobs.topics.TopicSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A compacted topic keeps the last message of each key. */
class TopicCompactionContract extends TopicsContract {
    private static final Topic<String> PRICES = Topic.of("prices", String.class);
    private static final TopicSettings COMPACTED = TopicSettings.partitions(1).compactAfter(Duration.ofSeconds(1));

    /** Versions have to pass for a second: the sweeps before are for nothing. */
    private static final Duration SWEEPS_APART = Duration.ofMillis(50);

    private static final Duration HOUR = Duration.ofHours(1);

    @BeforeEach
    void createCompacted() {
        await(topics.create(database, PRICES, COMPACTED));
    }

    private void put(String key, String value) {
        putAt(NOON, NewMessage.of(value).key(key));
    }

    private void putAt(Instant time, NewMessage<String> message) {
        await(node(() -> time).append(database, PRICES, message));
    }

    private List<Message<String>> prices() {
        return await(topics.read(database, PRICES, 0, Position.earliest(), 1_000))
                .messages();
    }

    private List<String> values() {
        return prices().stream()
                .map(message -> message.isDeletion() ? "-" + message.key().orElseThrow() : message.value())
                .toList();
    }

    /** The first sweep leaves a mark, and versions pass for a second. */
    private void awaitCompacted(String... values) {
        awaitUntil(SWEEPS_APART, () -> {
            await(node(() -> NOON.plus(Duration.ofMinutes(5))).sweep(database, PRICES));
            await(node(() -> NOON.plus(Duration.ofMinutes(10))).sweep(database, PRICES));
            return values().equals(List.of(values));
        });
    }

    private PartitionInfo size() {
        return await(topics.describe(database, PRICES))
                .orElseThrow()
                .partitions()
                .get(0);
    }

    @Test
    void theLastMessageOfEachKeyStays() {
        put("lamp", "1");
        put("desk", "2");
        put("lamp", "3");
        put("lamp", "4");
        put("sofa", "5");

        awaitCompacted("2", "4", "5");
        assertThat(size()).isEqualTo(new PartitionInfo(0, 5, 3, 3L * ("lamp".length() + "\"1\"".length())));

        put("desk", "6");
        putAt(NOON.plus(Duration.ofMinutes(7)), NewMessage.of("7").key("sofa"));
        awaitCompacted("4", "6", "7");
        assertThat(size()).isEqualTo(new PartitionInfo(0, 7, 3, 3L * ("lamp".length() + "\"1\"".length())));
    }

    @Test
    void aDeletionRemovesItsKeyAndItself() {
        put("lamp", "1");
        put("desk", "2");
        putAt(NOON, NewMessage.deletion("lamp"));
        assertThat(values()).containsExactly("1", "2", "-lamp");
        assertThatThrownBy(() -> prices().get(2).value())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("deletes the key \"lamp\"");

        awaitCompacted("2");
        assertThat(size().messages()).isEqualTo(1);

        put("lamp", "3");
        assertThat(values()).containsExactly("2", "3");
    }

    @Test
    void messagesOfOneTransactionSupersedeEachOther() {
        await(topics.appendAll(
                database,
                PRICES,
                List.of(
                        NewMessage.of("1").key("lamp"),
                        NewMessage.<String>deletion("lamp"),
                        NewMessage.of("3").key("lamp"),
                        NewMessage.of("x".repeat(200_000)).key("desk"),
                        NewMessage.of("5").key("desk"))));
        assertThat(await(topics.latest(database, PRICES, "lamp")).orElseThrow().value())
                .isEqualTo("3");

        awaitCompacted("3", "5");
        assertThat(size()).isEqualTo(new PartitionInfo(0, 5, 2, 2L * ("lamp".length() + "\"1\"".length())));
    }

    @Test
    void moreThanOneRoundOfMessages() {
        List<NewMessage<String>> many = new ArrayList<>();
        IntStream.range(0, 1_000).forEach(i -> many.add(NewMessage.of("v" + i).key("k" + i % 7)));
        await(topics.appendAll(database, PRICES, many));

        awaitCompacted("v993", "v994", "v995", "v996", "v997", "v998", "v999");
        assertThat(size().messages()).isEqualTo(7);
    }

    @Test
    void youngMessagesStay() {
        await(topics.change(database, PRICES, TopicSettings.partitions(1).compactAfter(Duration.ofHours(1))));
        put("lamp", "1");
        put("lamp", "2");
        await(node(() -> NOON.plus(Duration.ofMinutes(5))).sweep(database, PRICES));
        await(node(() -> NOON.plus(Duration.ofDays(5))).sweep(database, PRICES)); // a clock that is ahead

        assertThat(values()).containsExactly("1", "2");
    }

    @Test
    void aGroupThatIsBehindGetsWhatIsKept() {
        ConsumerGroup<String> group = topics.group(PRICES, "readers");
        put("lamp", "1");
        put("desk", "2");
        put("lamp", "3");
        put("desk", "4");
        assertThat(await(group.poll(database, 1))).hasSize(1);

        awaitCompacted("3", "4");
        assertThat(await(group.describe(database)).lag()).isBetween(2L, 3L);
        assertThat(await(group.poll(database, 10))).extracting(Message::value).containsExactly("3", "4");
        assertThat(await(group.describe(database)).lag()).isZero();
    }

    @Test
    void theLastMessageOfAKeyIsFound() {
        assertThat(await(topics.latest(database, PRICES, "lamp"))).isEmpty();
        put("lamp", "1");
        put("lamp", "2");
        put("lamps", "3");
        Message<String> latest = await(topics.latest(database, PRICES, "lamp")).orElseThrow();
        assertThat(latest.value()).isEqualTo("2");
        assertThat(latest.offset()).isEqualTo(prices().get(1).offset());

        putAt(NOON, NewMessage.deletion("lamp"));
        assertThat(await(topics.latest(database, PRICES, "lamp"))).isEmpty();
    }

    @Test
    void whatIsDecidedByTheLastMessageOfAKeyStaysTrue() {
        put("lamp", "1");
        try (Transaction tx = database.createTransaction()) {
            assertThat(await(topics.latest(tx, PRICES, "lamp"))).isPresent();
            put("lamp", "2");
            await(topics.append(tx, PRICES, NewMessage.of("3").key("lamp")));
            assertThatThrownBy(() -> await(tx.commit())).hasCauseInstanceOf(FDBException.class);
        }
        try (Transaction tx = database.createTransaction()) {
            assertThat(await(topics.latest(tx, PRICES, "lamp"))).isPresent();
            put("desk", "4"); // another key
            await(topics.append(tx, PRICES, NewMessage.of("5").key("lamp")));
            await(tx.commit());
        }
        assertThat(values()).containsExactly("1", "2", "4", "5");
    }

    @Test
    void whatCompactionCannotDoIsRefused() {
        assertThatThrownBy(() -> await(topics.append(database, PRICES, NewMessage.of("1"))))
                .isInstanceOf(CompletionException.class)
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a message needs a key");
        assertThatThrownBy(() -> await(topics.append(database, NEWS, NewMessage.deletion("lamp"))))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no deletions");
        assertThatThrownBy(() -> await(topics.latest(database, NEWS, "lamp")))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not compacted");
        assertThatThrownBy(() -> await(topics.change(database, NEWS, COMPACTED)))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("create another topic");
        assertThatThrownBy(() -> await(topics.change(
                        database, PRICES, TopicSettings.partitions(2).compactAfter(HOUR))))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keeps its 1 partitions");
        Topic<String> wide = Topic.of("wide", String.class);
        await(topics.create(database, wide, TopicSettings.partitions(4).compactAfter(HOUR)));
        NewMessage<String> lamp = NewMessage.of("1").key("lamp");
        int partition = await(topics.append(database, wide, lamp)).partition();
        await(topics.append(database, wide, lamp.partition(partition)));
        assertThatThrownBy(() -> await(topics.append(database, wide, lamp.partition((partition + 1) % 4))))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the key chooses");
        assertThatThrownBy(() -> COMPACTED.maxBytes(100)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aKeyThatTheTransactionHasAppendedIsNotRead() {
        assertThatThrownBy(() -> await(database.runAsync(
                        tx -> topics.append(tx, PRICES, NewMessage.of("1").key("lamp"))
                                .thenCompose(appended -> topics.latest(tx, PRICES, "lamp")))))
                .hasRootCauseInstanceOf(FDBException.class)
                .hasStackTraceContaining("UncommittedMessagesException");
    }

    @Test
    void anAppendOfUnknownResultIsNotRepeatedOnceItsMessageMayBeGone() {
        UnknownResult unknown = new UnknownResult(database, true, () -> {
            put("lamp", "2");
            awaitCompacted("2");
        });
        assertThatThrownBy(() ->
                        await(topics.append(unknown, PRICES, NewMessage.of("1").key("lamp"))))
                .hasCauseInstanceOf(AppendResultUnknownException.class);
        assertThat(values()).containsExactly("2");
    }

    @Test
    void aConsumerAtTheEndHasNoLag() {
        put("lamp", "1");
        put("desk", "2");
        put("lamp", "3");
        ConsumerGroup<String> group = topics.group(PRICES, "readers");
        await(group.create(database, Position.earliest()));
        awaitCompacted("2", "3");
        List<String> handled = new CopyOnWriteArrayList<>();
        try (TopicConsumer consumer = group.consumer()
                .batch(1)
                .handle(messages -> messages.forEach(message -> handled.add(message.value())))
                .start()) {
            awaitUntil(() -> await(group.describe(database)).lag() == 0);
            assertThat(handled).containsExactly("2", "3");
            assertThat(consumer.name()).isNotEmpty();
        }
    }
}
