package dev.couchjobs.topics.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.RetryPolicy;
import dev.couchjobs.topics.ConsumerBuilder;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.GroupInfo.PartitionLag;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicNotFoundException;
import dev.couchjobs.topics.TopicSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that fail are parked if the consumer says so: those behind them do not wait. */
class PoisonContract extends TopicsContract {
    private static final Topic<String> DEAD = Topic.of("dead", String.class);
    private static final RetryPolicy QUICK =
            RetryPolicy.standard().attempts(3).backoff(Duration.ofMillis(1), 1, Duration.ofMillis(1));
    private static final RetryPolicy SLOW = QUICK.backoff(Duration.ofHours(1), 1, Duration.ofHours(1));

    /** What the handler was handed, and has handled. */
    private final List<String> handled = new CopyOnWriteArrayList<>();

    private final List<String> failed = new CopyOnWriteArrayList<>();
    private final AtomicBoolean fails = new AtomicBoolean();
    private ConsumerGroup<String> readers;

    @BeforeEach
    void openGroup() {
        handled.clear();
        failed.clear();
        fails.set(true);
        readers = topics.group(NEWS, "readers");
        await(topics.create(database, DEAD, TopicSettings.partitions(1)));
    }

    private TopicConsumer start(boolean isInTransaction, RetryPolicy retry, boolean hasDeadLetters) {
        ConsumerBuilder<String> builder =
                readers.consumer().retry(retry).retryOutOfOrder().batch(10);
        if (hasDeadLetters) {
            builder.deadLetters(DEAD);
        }
        return (isInTransaction
                        ? builder.inTransaction((tx, messages) -> handle(messages))
                        : builder.handle(this::handle))
                .start();
    }

    private void handle(List<Message<String>> messages) {
        for (Message<String> message : messages) {
            if (message.value().startsWith("bad") && fails.get()) {
                if (messages.size() == 1) {
                    failed.add(message.value());
                }
                throw new IllegalStateException("bad news");
            }
        }
        messages.forEach(message -> handled.add(message.value()));
    }

    private PartitionLag lag() {
        return await(readers.describe(database)).partitions().get(0);
    }

    private void awaitLag(int lag, int parked) {
        awaitUntil(() -> lag().lag() == lag && lag().parked() == parked);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messagesBehindOneThatFailsDoNotWait(boolean isInTransaction) {
        append("a", "bad", "b", "c");
        try (TopicConsumer consumer = start(isInTransaction, SLOW, true)) {
            awaitLag(0, 1);
            assertThat(handled).containsExactly("a", "b", "c");
            assertThat(failed).containsExactly("bad");
            assertThat(consumer.name()).isNotEmpty();
        }
        assertThat(lag().parked()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aParkedMessageIsHandledAgain(boolean isInTransaction) {
        append("a", "bad", "b");
        try (TopicConsumer consumer = start(isInTransaction, QUICK.attempts(1_000), true)) {
            awaitUntil(() -> failed.size() > 3);
            fails.set(false);
            awaitLag(0, 0);
            assertThat(handled).containsExactly("a", "b", "bad");
            assertThat(consumer.name()).isNotEmpty();
        }
        assertThat(await(topics.describe(database, DEAD)).orElseThrow().messages())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aParkedMessageBecomesADeadLetter(boolean isInTransaction) {
        append("a", "bad", "b");
        try (TopicConsumer consumer = start(isInTransaction, QUICK, true)) {
            awaitUntil(
                    () -> await(topics.describe(database, DEAD)).orElseThrow().messages() == 1);
            awaitLag(0, 0);
            assertThat(consumer.name()).isNotEmpty();
        }
        assertThat(failed).containsExactly("bad", "bad", "bad");
        Message<String> letter = await(topics.read(database, DEAD, 0, Position.earliest(), 10))
                .messages()
                .get(0);
        assertThat(letter.value()).isEqualTo("bad");
        assertThat(letter.headers())
                .containsEntry("dead-letter-failures", "3")
                .containsEntry("dead-letter-error", "java.lang.IllegalStateException: bad news");
    }

    @Test
    void withoutDeadLettersItIsHandledAgainAndAgain() {
        append("bad", "b");
        try (TopicConsumer consumer = start(true, QUICK, false)) {
            awaitUntil(() -> failed.size() > 5);
            assertThat(lag().parked()).isEqualTo(1);
            fails.set(false);
            awaitLag(0, 0);
            assertThat(handled).containsExactly("b", "bad");
            assertThat(consumer.name()).isNotEmpty();
        }
    }

    @Test
    void theNextConsumerHandlesWhatIsParked() {
        append("bad 1", "bad 2", "b");
        try (TopicConsumer consumer = start(true, SLOW, true)) {
            awaitLag(0, 2);
            assertThat(consumer.name()).isNotEmpty();
        }
        fails.set(false);
        try (TopicConsumer consumer = start(true, QUICK, true)) {
            awaitLag(0, 0);
            assertThat(handled).containsExactlyInAnyOrder("b", "bad 1", "bad 2");
            assertThat(consumer.name()).isNotEmpty();
        }
    }

    @Test
    void aSeekForgetsWhatIsParked() {
        append("bad", "b");
        try (TopicConsumer consumer = start(true, SLOW, true)) {
            awaitLag(0, 1);
            fails.set(false);
            await(readers.seek(database, Position.earliest()));
            awaitLag(0, 0);
            assertThat(handled).containsExactly("b", "bad", "b");
            assertThat(consumer.name()).isNotEmpty();
        }
    }

    @Test
    void whatTheTopicDoesNotKeepIsParkedNoMore() {
        append("bad", "b");
        try (TopicConsumer consumer = start(true, QUICK.attempts(1_000_000), true)) {
            awaitUntil(() -> failed.size() > 2);
            awaitLag(0, 1);
            await(topics.change(database, NEWS, TopicSettings.partitions(1).maxBytes(1)));
            await(node(() -> NOON).sweep(database, NEWS)); // leaves a mark
            append("c");
            await(node(() -> NOON.plus(Duration.ofMinutes(5))).sweep(database, NEWS));
            assertThat(news()).containsExactly("c");
            awaitLag(0, 0);
            assertThat(handled).containsExactly("b", "c");
            assertThat(consumer.name()).isNotEmpty();
        }
        assertThat(await(topics.describe(database, DEAD)).orElseThrow().messages())
                .isZero();
    }

    @Test
    void whatIsParkedIsKeptUntilItIsConsumed() {
        await(topics.change(database, NEWS, TopicSettings.partitions(1).untilConsumedBy("readers")));
        append("a");
        await(node(() -> NOON).sweep(database, NEWS));
        append("bad", "b");
        try (TopicConsumer consumer = start(true, QUICK.attempts(1_000), true)) {
            awaitLag(0, 1);
            await(node(() -> NOON.plus(Duration.ofMinutes(5))).sweep(database, NEWS));
            await(node(() -> NOON.plus(Duration.ofMinutes(9))).sweep(database, NEWS));
            assertThat(news()).contains("bad");
            fails.set(false);
            awaitLag(0, 0);
            await(node(() -> NOON.plus(Duration.ofMinutes(15))).sweep(database, NEWS));
            assertThat(news()).isEmpty();
            assertThat(consumer.name()).isNotEmpty();
        }
    }

    @Test
    void aConsumerThatKeepsTheOrderHandlesWhatOthersHaveParked() {
        append("bad", "b");
        try (TopicConsumer consumer = start(true, SLOW, true)) {
            awaitLag(0, 1);
            assertThat(consumer.name()).isNotEmpty();
        }
        fails.set(false);
        try (TopicConsumer consumer =
                readers.consumer().retry(QUICK).handle(this::handle).start()) {
            awaitLag(0, 0);
            assertThat(handled).containsExactly("b", "bad");
            assertThat(consumer.name()).isNotEmpty();
        }
    }

    @Test
    void parkedMessagesDoNotKeepOthersWaiting() {
        append(IntStream.range(0, 50).mapToObj(i -> "bad " + i).toArray(String[]::new));
        try (TopicConsumer consumer =
                start(true, QUICK.attempts(1_000_000).backoff(Duration.ZERO, 1, Duration.ZERO), true)) {
            awaitLag(0, 50);
            append("a", "b");
            awaitUntil(() -> handled.equals(List.of("a", "b")));
            assertThat(consumer.name()).isNotEmpty();
        }
    }

    @Test
    void theTopicForDeadLettersIsThereAndKeepsThem() {
        ConsumerBuilder<String> consumer = readers.consumer().handle(this::handle);
        assertThatThrownBy(() ->
                        consumer.deadLetters(Topic.of("missing", String.class)).start())
                .isInstanceOf(TopicNotFoundException.class);
        Topic<String> compacted = Topic.of("compacted", String.class);
        await(topics.create(database, compacted, TopicSettings.partitions(1).compactAfter(Duration.ofHours(1))));
        assertThatThrownBy(() -> consumer.deadLetters(compacted).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot take dead letters");
    }

    /** Fails a message once for each consumer, in its order. */
    private void failInOrder(ConsumerGroup<String> group, int times) {
        for (int i = 0; i < times; i++) {
            int before = failed.size();
            try (TopicConsumer consumer = group.consumer()
                    .retry(SLOW)
                    .deadLetters(DEAD)
                    .handle(this::handle)
                    .start()) {
                awaitUntil(() -> failed.size() > before);
                assertThat(consumer.name()).isNotEmpty();
            }
        }
    }

    private String failuresOfDeadLetter(ConsumerGroup<String> group) {
        try (TopicConsumer consumer = group.consumer()
                .retry(QUICK)
                .deadLetters(DEAD)
                .handle(this::handle)
                .start()) {
            awaitUntil(
                    () -> await(topics.describe(database, DEAD)).orElseThrow().messages() == 1);
            awaitUntil(() -> await(group.describe(database)).lag() == 0);
            assertThat(consumer.name()).isNotEmpty();
        }
        return await(topics.read(database, DEAD, 0, Position.earliest(), 10))
                .messages()
                .get(0)
                .headers()
                .getOrDefault("dead-letter-failures", "");
    }

    @Test
    void failuresOfAMessageThatCompactionRemovesAreNotThoseOfTheNext() {
        Topic<String> prices = Topic.of("prices", String.class);
        await(topics.create(database, prices, TopicSettings.partitions(1).compactAfter(Duration.ofSeconds(1))));
        List<NewMessage<String>> messages = List.of(
                NewMessage.of("bad 1").key("lamp"),
                NewMessage.of("bad 2").key("desk"),
                NewMessage.of("b").key("lamp"));
        await(node(() -> NOON).appendAll(database, prices, messages));
        ConsumerGroup<String> group = topics.group(prices, "readers");
        failInOrder(group, 2);
        awaitUntil(() -> {
            await(node(() -> NOON.plus(Duration.ofMinutes(5))).sweep(database, prices));
            await(node(() -> NOON.plus(Duration.ofMinutes(10))).sweep(database, prices));
            return await(topics.describe(database, prices)).orElseThrow().messages() == 2;
        });

        assertThat(failuresOfDeadLetter(group)).isEqualTo("3");
        assertThat(failed).containsExactly("bad 1", "bad 1", "bad 2", "bad 2", "bad 2");
        assertThat(handled).containsExactly("b");
    }

    @Test
    void failuresStayWithTheirMessageWhenThoseBeforeItAreRemoved() {
        await(topics.change(database, NEWS, TopicSettings.partitions(1).untilConsumedBy("readers")));
        append("a");
        await(node(() -> NOON).sweep(database, NEWS)); // leaves a mark
        append("bad");
        failInOrder(readers, 2);
        await(node(() -> NOON.plus(Duration.ofMinutes(5))).sweep(database, NEWS));
        assertThat(news()).containsExactly("bad");

        assertThat(failuresOfDeadLetter(readers)).isEqualTo("3");
        assertThat(failed).containsExactly("bad", "bad", "bad");
    }
}
