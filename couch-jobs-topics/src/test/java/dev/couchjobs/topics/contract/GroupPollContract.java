package dev.couchjobs.topics.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.topics.Appended;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.GroupInfo.PartitionLag;
import dev.couchjobs.topics.GroupNotFoundException;
import dev.couchjobs.topics.GroupPage;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.PartitionLostException;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicNotFoundException;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.UncommittedMessagesException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A group takes each message once, in the order of its partition. */
class GroupPollContract extends TopicsContract {
    private ConsumerGroup<String> readers;

    @BeforeEach
    void openGroup() {
        readers = topics.group(NEWS, "readers");
    }

    private List<String> poll(int limit) {
        return await(readers.poll(database, limit)).stream().map(Message::value).toList();
    }

    private long lag() {
        return await(readers.describe(database)).lag();
    }

    @Test
    void messagesAreTakenInOrderAndOnce() {
        append("a", "b", "c", "d", "e");

        assertThat(poll(2)).containsExactly("a", "b");
        assertThat(poll(2)).containsExactly("c", "d");
        assertThat(poll(2)).containsExactly("e");
        assertThat(poll(2)).isEmpty();
        append("f");
        assertThat(poll(2)).containsExactly("f");
    }

    @Test
    void aPollIsPartOfTheCallersTransaction() {
        append("a", "b");
        byte[] row = prefix.pack("row");
        try (Transaction dropped = database.createTransaction()) {
            await(readers.poll(dropped, 10));
            dropped.set(row, new byte[] {1});
        }
        assertThat(database.<Integer>run(tx -> {
                    int taken = await(readers.poll(tx, 1)).size();
                    tx.set(row, new byte[] {2});
                    return taken;
                }))
                .isEqualTo(1);

        assertThat(database.<byte[]>read(tx -> await(tx.get(row)))).containsExactly(2);
        assertThat(poll(10)).containsExactly("b");
    }

    @Test
    void twoPollsOfOneMessageDoNotBothCommit() {
        append("a");
        try (Transaction first = database.createTransaction();
                Transaction second = database.createTransaction()) {
            assertThat(await(readers.poll(first, 1))).hasSize(1);
            assertThat(await(readers.poll(second, 1))).hasSize(1);
            await(first.commit());
            assertThatThrownBy(() -> await(second.commit())).hasMessageContaining("not committed");
        }
    }

    @Test
    void anAppendIsNoConflictForAPoll() {
        append("a");
        try (Transaction tx = database.createTransaction()) {
            assertThat(await(readers.poll(tx, 10))).hasSize(1);
            append("b");
            await(tx.commit());
        }

        assertThat(poll(10)).containsExactly("b");
    }

    @Test
    void groupsAreIndependent() {
        append("a");
        ConsumerGroup<String> others = topics.group(NEWS, "others");

        assertThat(poll(10)).containsExactly("a");
        assertThat(await(others.poll(database, 10))).hasSize(1);
        assertThat(await(topics.groups(database, NEWS))).containsExactly("others", "readers");
        assertThat(await(others.delete(database))).isTrue();
        assertThat(await(others.delete(database))).isFalse();
        assertThat(await(topics.groups(database, NEWS))).containsExactly("readers");
    }

    @Test
    void aGroupBeginsWhereItIsCreated() {
        append("a");
        assertThat(await(readers.create(database, Position.latest()))).isTrue();
        assertThat(await(readers.create(database, Position.earliest()))).isFalse();
        assertThat(lag()).isZero();
        append("b");

        assertThat(lag()).isEqualTo(1);
        assertThat(poll(10)).containsExactly("b");
    }

    @Test
    void partitionsTakeTurns() {
        ConsumerGroup<Order> group = topics.group(ORDERS, "g");
        for (int i = 0; i < 40; i++) {
            await(topics.append(
                    database, ORDERS, NewMessage.of(new Order("i" + i, i)).partition(i % 4)));
        }

        List<Message<Order>> seen = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        List<Message<Order>> page = await(group.poll(database, 5));
        while (!page.isEmpty()) {
            seen.addAll(page);
            order.add(page.get(0).partition());
            page = await(group.poll(database, 5));
        }
        assertThat(seen).hasSize(40);
        assertThat(order.subList(0, 4)).containsExactlyInAnyOrder(0, 1, 2, 3);
        for (int partition = 0; partition < 4; partition++) {
            int of = partition;
            assertThat(seen.stream()
                            .filter(message -> message.partition() == of)
                            .map(message -> message.value().count()))
                    .containsExactlyElementsOf(
                            IntStream.range(0, 10).map(i -> 4 * i + of).boxed().toList());
        }
    }

    @Test
    void onePartitionCanBePolled() {
        ConsumerGroup<Order> group = topics.group(ORDERS, "g");
        await(topics.append(database, ORDERS, NewMessage.of(new Order("x", 1)).partition(2)));

        assertThat(await(group.poll(database, 1, 10))).isEmpty();
        assertThat(await(group.poll(database, 2, 10))).hasSize(1);
        assertThatThrownBy(() -> await(group.poll(database, 4, 10)))
                .hasRootCauseInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void partitionsThatAreAddedLaterAreConsumed() {
        append("a");
        assertThat(poll(10)).containsExactly("a");
        await(topics.change(database, NEWS, TopicSettings.partitions(2)));
        await(topics.append(database, NEWS, NewMessage.of("b").partition(1)));

        assertThat(lag()).isEqualTo(1);
        assertThat(poll(10)).containsExactly("b");
    }

    @Test
    void lagIsKnownWithoutReading() {
        append("a", "b", "c");
        assertThatThrownBy(this::lag).hasRootCauseInstanceOf(GroupNotFoundException.class);
        poll(1);

        assertThat(lag()).isEqualTo(2);
        append("d");
        assertThat(lag()).isEqualTo(3);
        PartitionLag partition = await(readers.describe(database)).partitions().get(0);
        assertThat(partition.offset())
                .contains(read(Position.earliest()).messages().get(0).offset());
        assertThat(partition.holder()).isEmpty();
        poll(10);
        assertThat(lag()).isZero();
    }

    @Test
    void aGroupIsMovedAndReadsAgain() {
        append("a", "b", "c");
        List<Message<String>> all = read(Position.earliest()).messages();
        assertThat(poll(10)).hasSize(3);

        await(readers.seek(database, Position.after(all.get(0).offset())));
        assertThat(lag()).isBetween(2L, 3L);
        assertThat(poll(10)).containsExactly("b", "c");
        assertThat(lag()).isZero();
        await(readers.seek(database, 0, Position.earliest()));
        assertThat(poll(1)).containsExactly("a");
        await(readers.seek(database, Position.latest()));
        assertThat(poll(10)).isEmpty();
        assertThatThrownBy(() -> await(topics.group(NEWS, "none").seek(database, Position.latest())))
                .hasRootCauseInstanceOf(GroupNotFoundException.class);
    }

    @Test
    void aGroupThatIsMovedIntoACommitIsPolledToTheEnd() {
        List<Appended> abc = await(node(() -> NOON)
                .appendAll(database, NEWS, List.of(NewMessage.of("a"), NewMessage.of("b"), NewMessage.of("c"))));
        byte[] stamp = await(abc.get(0).offset()).versionstamp().getBytes();
        try (Transaction tx = database.createTransaction()) {
            tx.setReadVersion(ByteBuffer.wrap(stamp).getLong());
            // Leaves a mark of the version at which all of that commit is there.
            await(node(() -> NOON.plus(Duration.ofMinutes(2))).append(tx, NEWS, NewMessage.of("d")));
            await(tx.commit());
        }
        List<Message<String>> all = await(readers.poll(database, 10));
        await(readers.seek(database, Position.after(all.get(0).offset())));

        assertThat(poll(1)).containsExactly("b");
        assertThat(poll(1)).containsExactly("c");
        assertThat(poll(1)).containsExactly("d");
    }

    @Test
    void whatRetentionHasRemovedIsNoLag() {
        for (int i = 0; i < 10; i++) {
            int minute = i;
            await(node(() -> NOON.plus(Duration.ofMinutes(minute)))
                    .append(database, NEWS, NewMessage.of(minute + "-".repeat(97))));
        }
        poll(1);
        await(topics.change(database, NEWS, TopicSettings.partitions(1).maxBytes(250)));
        await(node(() -> NOON.plus(Duration.ofMinutes(20))).sweep(database, NEWS));

        assertThat(lag()).isEqualTo(3);
        assertThat(poll(2)).hasSize(2);
        assertThat(lag()).isEqualTo(1);
        assertThat(poll(2)).hasSize(1);
        assertThat(lag()).isZero();
    }

    @Test
    void whatIsReadBeforeIsCommittedOnce() {
        append("a", "b", "c");

        GroupPage<String> first = await(readers.peek(database, OptionalInt.empty(), 2));
        GroupPage<String> second = await(readers.peek(database, OptionalInt.of(0), 1));
        assertThat(first.messages()).extracting(Message::value).containsExactly("a", "b");
        await(readers.commit(database, first.cursor()));
        await(readers.commit(database, first.cursor()));
        assertThatThrownBy(() -> await(readers.commit(database, second.cursor())))
                .hasRootCauseInstanceOf(PartitionLostException.class)
                .hasMessageContaining("has been moved");

        assertThat(lag()).isEqualTo(1);
        assertThat(poll(10)).containsExactly("c");
        assertThat(await(readers.peek(database, OptionalInt.empty(), 2)).messages())
                .isEmpty();
        assertThatThrownBy(() -> await(readers.commit(database, "nonsense")))
                .hasRootCauseInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ofTwoReadersOfTheSameMessagesOneCommits() {
        append("a", "b");
        GroupPage<String> first = await(readers.peek(database, OptionalInt.empty(), 2));
        GroupPage<String> second = await(readers.peek(database, OptionalInt.empty(), 2));

        await(readers.commit(database, first.cursor()));
        assertThatThrownBy(() -> await(readers.commit(database, second.cursor())))
                .hasCauseInstanceOf(PartitionLostException.class);
        await(readers.commit(database, first.cursor()));
    }

    @Test
    void waitingEndsWithAMessage() {
        CompletableFuture<Boolean> group = readers.await(Duration.ofSeconds(30));
        CompletableFuture<Boolean> partition = topics.await(NEWS, 0, Position.earliest(), Duration.ofSeconds(30));
        CompletableFuture<Boolean> topic = topics.await(NEWS, Position.earliest(), Duration.ofSeconds(30));
        assertThat(await(readers.await(Duration.ZERO))).isFalse();
        append("a");

        assertThat(await(group)).isTrue();
        assertThat(await(partition)).isTrue();
        assertThat(await(readers.await(Duration.ofSeconds(30)))).isTrue();
        assertThat(await(topic)).isTrue();
        assertThat(await(topics.await(NEWS, Position.latest(), Duration.ofMillis(1))))
                .isFalse();
        assertThat(await(topics.await(NEWS, 0, Position.latest(), Duration.ofMillis(1))))
                .isFalse();
    }

    @Test
    void aTransactionPollsBeforeItAppends() {
        append("a");
        database.run(tx -> {
            List<Message<String>> taken = await(readers.poll(tx, 10));
            return await(topics.append(
                    tx, NEWS, NewMessage.of("after " + taken.get(0).value())));
        });
        assertThat(lag()).isEqualTo(1);
        assertThat(poll(10)).containsExactly("after a");

        assertThatThrownBy(() -> database.run(tx -> {
                    await(topics.append(tx, NEWS, NewMessage.of("b")));
                    return await(readers.poll(tx, 0, 10));
                }))
                .hasRootCauseInstanceOf(FDBException.class)
                .cause()
                .isInstanceOf(UncommittedMessagesException.class)
                .hasMessageContaining("before you append");
    }

    @Test
    void anAppendToAnotherPartitionDoesNotChangeWhatIsLeft() {
        ConsumerGroup<Order> group = topics.group(ORDERS, "g");
        await(topics.append(database, ORDERS, NewMessage.of(new Order("x", 1)).partition(0)));
        database.run(tx -> {
            await(topics.append(tx, ORDERS, NewMessage.of(new Order("y", 1)).partition(1)));
            return await(group.poll(tx, 0, 10)).size();
        });

        assertThat(await(group.describe(database)).lag()).isEqualTo(1);
        assertThat(await(group.poll(database, 10)).get(0).value().item()).isEqualTo("y");
    }

    @Test
    void aTopicThatIsNotThereIsNamed() {
        Topic<String> missing = Topic.of("missing", String.class);
        assertThatThrownBy(() -> await(topics.group(missing, "g").poll(database, 1)))
                .hasRootCauseInstanceOf(TopicNotFoundException.class);
        assertThatThrownBy(() -> topics.group(NEWS, "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> readers.poll(database, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
