package dev.couchjobs.topics.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.Environment;
import dev.couchjobs.topics.AppendResultUnknownException;
import dev.couchjobs.topics.Appended;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.TopicInfo.PartitionInfo;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** A topic keeps messages as its settings say. */
class TopicRetentionContract extends TopicsContract {

    private void appendAt(Instant time, String value) {
        await(node(() -> time).append(database, NEWS, NewMessage.of(value)));
    }

    private void sweepAt(Instant time) {
        await(node(() -> time).sweep(database, NEWS));
    }

    @Test
    void withoutRetentionMessagesStay() {
        appendAt(NOON, "a");
        appendAt(NOON.plus(Duration.ofDays(365)), "b");
        sweepAt(NOON.plus(Duration.ofDays(36_500)));

        assertThat(news()).containsExactly("a", "b");
    }

    @Test
    void messagesBeyondASizeGo() {
        for (int i = 0; i < 10; i++) {
            appendAt(NOON.plus(Duration.ofMinutes(i)), i + "-".repeat(97)); // 100 bytes as JSON
        }
        await(topics.change(database, NEWS, TopicSettings.partitions(1).maxBytes(250)));
        sweepAt(NOON.plus(Duration.ofMinutes(20)));

        assertThat(news()).extracting(value -> value.charAt(0)).containsExactly('7', '8', '9');
        assertThat(await(topics.describe(database, NEWS)).orElseThrow().partitions())
                .containsExactly(new PartitionInfo(0, 10, 3, 300));
    }

    @Test
    void aClockThatIsAheadRemovesNothingThatIsYoung() {
        await(topics.change(database, NEWS, TopicSettings.partitions(1).maxAge(Duration.ofDays(7))));
        appendAt(NOON, "a");
        appendAt(NOON.plus(Duration.ofMinutes(1)), "b");
        sweepAt(NOON.plus(Duration.ofDays(30)));
        sweepAt(NOON.plus(Duration.ofDays(60)));

        assertThat(news()).containsExactly("a", "b");
    }

    @Test
    void aReaderOfWhatIsGoneGoesOnWithWhatIsKept() {
        appendAt(NOON, "a");
        Position afterFirst = Position.after(read(Position.earliest()).next());
        for (int i = 1; i < 10; i++) {
            appendAt(NOON.plus(Duration.ofMinutes(i)), i + "-".repeat(97));
        }
        await(topics.change(database, NEWS, TopicSettings.partitions(1).maxBytes(200)));
        sweepAt(NOON.plus(Duration.ofMinutes(20)));

        assertThat(values(read(afterFirst))).hasSize(2);
        assertThat(values(read(Position.at(NOON)))).hasSize(2);
    }

    @Test
    void onlyAReaderThatHasMissedMessagesIsToldThatTheyAreGone() {
        await(topics.change(database, NEWS, TopicSettings.partitions(1).maxBytes(1)));
        appendAt(NOON, "a");
        Position afterFirst = Position.after(read(Position.earliest()).next());
        appendAt(NOON.plusSeconds(1), "b");
        Offset second = read(Position.earliest()).next();
        sweepAt(NOON.plus(Duration.ofMinutes(5))); // leaves a mark
        assertThat(read(afterFirst).trimmedTo()).isEmpty();
        appendAt(NOON.plus(Duration.ofMinutes(6)), "c");
        sweepAt(NOON.plus(Duration.ofMinutes(7)));

        assertThat(read(afterFirst).trimmedTo()).contains(second);
        assertThat(values(read(Position.after(second)))).containsExactly("c");
        assertThat(read(Position.after(second)).trimmedTo()).isEmpty();
        assertThat(read(Position.earliest()).trimmedTo()).isEmpty();
        assertThat(read(Position.at(NOON)).trimmedTo()).isEmpty();

        sweepAt(NOON.plus(Duration.ofMinutes(9)));
        assertThat(read(Position.after(second)).trimmedTo()).isEmpty();
    }

    @Test
    void whatWasAppendedSinceTheLastMarkGoesToo() {
        await(topics.change(database, NEWS, TopicSettings.partitions(1).maxBytes(1)));
        appendAt(NOON, "a");
        appendAt(NOON.plusSeconds(1), "b");
        sweepAt(NOON.plus(Duration.ofMinutes(5))); // leaves a mark
        appendAt(NOON.plus(Duration.ofMinutes(6)), "c");
        sweepAt(NOON.plus(Duration.ofMinutes(7)));

        assertThat(news()).containsExactly("c");
    }

    @Test
    void whatAllNamedGroupsHaveConsumedGoes() {
        ConsumerGroup<String> one = topics.group(NEWS, "one");
        ConsumerGroup<String> two = topics.group(NEWS, "two");
        await(topics.change(database, NEWS, TopicSettings.partitions(1).untilConsumedBy("one", "two")));
        for (int i = 0; i < 10; i++) {
            appendAt(NOON.plus(Duration.ofMinutes(i)), "m" + i);
        }
        await(one.poll(database, 8));
        sweepAt(NOON.plus(Duration.ofMinutes(20)));
        assertThat(news()).hasSize(10);

        await(two.poll(database, 5));
        sweepAt(NOON.plus(Duration.ofMinutes(21)));
        assertThat(news()).containsExactly("m5", "m6", "m7", "m8", "m9");

        await(one.poll(database, 8));
        await(two.poll(database, 8));
        sweepAt(NOON.plus(Duration.ofMinutes(22)));
        assertThat(news()).isEmpty();
        assertThat(await(topics.describe(database, NEWS)).orElseThrow().partitions())
                .containsExactly(new PartitionInfo(0, 10, 0, 0));
    }

    @Test
    void aGroupThatSeeksBackKeepsWhatItHasStillToConsume() {
        ConsumerGroup<String> one = topics.group(NEWS, "one");
        await(topics.change(database, NEWS, TopicSettings.partitions(1).untilConsumedBy("one")));
        for (int i = 0; i < 10; i++) {
            appendAt(NOON.plus(Duration.ofMinutes(i)), "m" + i);
        }
        Position third = Position.after(await(one.poll(database, 3)).get(2).offset());
        await(one.poll(database, 7));
        await(one.seek(database, third));
        sweepAt(NOON.plus(Duration.ofMinutes(20)));

        assertThat(news()).contains("m3", "m4", "m5", "m6", "m7", "m8", "m9");
    }

    @Test
    void aGroupThatBeginsBeforeAnAppendOfItsTransactionKeepsTheMessage() {
        await(topics.change(database, NEWS, TopicSettings.partitions(1).untilConsumedBy("one")));
        appendAt(NOON, "before");
        ConsumerGroup<String> one = node(() -> NOON).group(NEWS, "one");
        await(database.runAsync(tx -> topics.append(tx, NEWS, NewMessage.of("own"))
                .thenCompose(appended -> one.create(tx, Position.latest()))));
        sweepAt(NOON.plus(Duration.ofMinutes(5)));
        sweepAt(NOON.plus(Duration.ofMinutes(10)));

        assertThat(await(one.describe(database)).lag()).isPositive();
        assertThat(await(one.poll(database, 10))).extracting(Message::value).containsExactly("own");
    }

    /** Consumes what is there and removes it. */
    private void removeAll(ConsumerGroup<String> group) {
        sweepAt(NOON); // leaves a mark
        await(group.poll(database, 10));
        sweepAt(NOON.plus(Duration.ofMinutes(5)));
        assertThat(news()).isEmpty();
    }

    @Test
    void anAppendOfUnknownResultIsNotRepeatedOnceItsMessageMayBeGone() {
        ConsumerGroup<String> one = topics.group(NEWS, "one");
        await(topics.change(database, NEWS, TopicSettings.partitions(1).untilConsumedBy("one")));
        UnknownResult unknown = new UnknownResult(database, true, () -> removeAll(one));

        assertThatThrownBy(() -> await(topics.append(unknown, NEWS, NewMessage.of("a"))))
                .hasCauseInstanceOf(AppendResultUnknownException.class)
                .hasMessageContaining("partition 0");
        assertThat(await(one.poll(database, 10))).isEmpty();
    }

    @Test
    void anAppendOfUnknownResultIsThereOnce() {
        ConsumerGroup<String> one = topics.group(NEWS, "one");
        await(topics.change(database, NEWS, TopicSettings.partitions(1).untilConsumedBy("one")));
        append("before");
        removeAll(one);
        for (boolean commits : new boolean[] {true, false}) {
            UnknownResult unknown =
                    new UnknownResult(database, commits, () -> sweepAt(NOON.plus(Duration.ofMinutes(9))));
            Appended appended = await(topics.append(unknown, NEWS, NewMessage.of("a")));
            List<Message<String>> polled = await(one.poll(database, 10));
            assertThat(polled).extracting(Message::value).containsExactly("a");
            assertThat(polled.get(0).offset()).isEqualTo(await(appended.offset()));
        }
    }

    @Test
    void anAppendOfUnknownResultIsThereOnceWhateverItsTokenIs() {
        Environment system = Environment.system();
        RandomGenerator random = () -> -1L; // then the first token would be 0, which means none
        Topics process = Topics.builder(database)
                .subspace(prefix)
                .environment(new Environment(system.clock(), system.scheduler(), random))
                .build();

        await(process.append(new UnknownResult(database, true, () -> {}), NEWS, NewMessage.of("a")));
        assertThat(news()).containsExactly("a");
    }
}
