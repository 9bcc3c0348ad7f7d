package dev.couchjobs.topics.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.PageRequest;
import dev.couchjobs.PayloadException;
import dev.couchjobs.topics.Appended;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.MessageTooLargeException;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.TooManyMessagesException;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicExistsException;
import dev.couchjobs.topics.TopicInfo;
import dev.couchjobs.topics.TopicInfo.PartitionInfo;
import dev.couchjobs.topics.TopicNotFoundException;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.UndecodableMessageException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A log keeps what is appended, in the order of the commits. */
class TopicLogContract extends TopicsContract {
    private static final Topic<byte[]> BLOBS = Topic.of("blobs", byte[].class);

    private static NewMessage<Order> order(String item) {
        return NewMessage.of(new Order(item, 1));
    }

    // Appending

    @Test
    void messagesAreReadInTheOrderOfTheirCommits() {
        append("a", "b");
        append("c");
        append("d", "e");

        assertThat(news()).containsExactly("a", "b", "c", "d", "e");
    }

    @Test
    void anAppendIsPartOfTheCallersTransaction() {
        byte[] row = prefix.pack("row");
        database.run(tx -> {
            tx.set(row, new byte[] {1});
            await(topics.append(tx, NEWS, NewMessage.of("first")));
            return await(topics.append(tx, NEWS, NewMessage.of("second")));
        });
        try (Transaction dropped = database.createTransaction()) {
            await(topics.append(dropped, NEWS, NewMessage.of("never")));
        }

        assertThat(news()).containsExactly("first", "second");
        assertThat(database.<byte[]>read(tx -> await(tx.get(row)))).containsExactly(1);
    }

    @Test
    void aKeyThatUtf8CannotEncodeIsRefused() {
        NewMessage<String> broken = NewMessage.of("a").key("half \ud83d");

        assertThatThrownBy(() -> await(topics.append(database, NEWS, broken)))
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("surrogate");
        assertThat(news()).isEmpty();
    }

    @Test
    void theOffsetIsKnownWithTheCommit() {
        CompletableFuture<Offset> offset = database.run(
                tx -> await(topics.append(tx, NEWS, NewMessage.of("a"))).offset());

        assertThat(await(offset))
                .isEqualTo(read(Position.earliest()).messages().get(0).offset());
        Appended appended = await(topics.append(database, NEWS, NewMessage.of("b")));
        assertThat(appended.offset())
                .isCompletedWithValue(
                        read(Position.earliest()).messages().get(1).offset());
    }

    @Test
    void appendsDoNotConflict() {
        List<Transaction> open = new ArrayList<>();
        for (String value : List.of("a", "b", "c")) {
            Transaction tx = database.createTransaction();
            await(topics.append(tx, NEWS, NewMessage.of(value)));
            open.add(tx);
        }
        open.forEach(tx -> await(tx.commit()));
        open.forEach(Transaction::close);

        assertThat(news()).containsExactly("a", "b", "c");
    }

    @Test
    void anAppendOfNothingDoesNothing() {
        assertThat(await(topics.appendAll(database, NEWS, List.of()))).isEmpty();
        assertThat(news()).isEmpty();
    }

    // Partitions

    @Test
    void messagesWithOneKeyAreInOnePartition() {
        Set<Integer> partitions = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            partitions.add(await(topics.append(database, ORDERS, order("i" + i).key("customer-7")))
                    .partition());
        }

        assertThat(partitions).hasSize(1);
        int partition = partitions.iterator().next();
        MessagePage<Order> page = await(topics.read(database, ORDERS, partition, Position.earliest(), 100));
        assertThat(values(page).stream().map(Order::item)).containsExactly(items(0, 10));
        assertThat(page.messages().get(0).key()).contains("customer-7");
    }

    private static String[] items(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "i" + i).toArray(String[]::new);
    }

    @Test
    void withoutAKeyThePartitionsTakeTurns() {
        await(topics.appendAll(
                database,
                ORDERS,
                Stream.of(items(0, 8)).map(TopicLogContract::order).toList()));

        assertThat(await(topics.describe(database, ORDERS)).orElseThrow().partitions())
                .extracting(PartitionInfo::messages)
                .containsExactly(2L, 2L, 2L, 2L);
    }

    @Test
    void thePartitionCanBeChosen() {
        assertThat(await(topics.append(database, ORDERS, order("x").key("k").partition(3)))
                        .partition())
                .isEqualTo(3);
        for (int wrong : new int[] {-1, 4}) {
            assertThatThrownBy(() ->
                            await(topics.append(database, ORDERS, order("x").partition(wrong))))
                    .hasRootCauseInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("partitions 0 to 3, and not " + wrong);
            assertThatThrownBy(() -> await(topics.read(database, ORDERS, wrong, Position.earliest(), 1)))
                    .hasRootCauseInstanceOf(IllegalArgumentException.class);
        }
    }

    // What a message holds

    @Test
    void aMessageHoldsItsHeadersAndItsTime() {
        Instant before = Instant.now().minusSeconds(1);
        await(topics.append(
                database,
                NEWS,
                NewMessage.of("a").header("trace", "1").header("x", "ü").header("trace", "2")));

        Message<String> message = read(Position.earliest()).messages().get(0);
        assertThat(message.headers()).isEqualTo(Map.of("trace", "2", "x", "ü"));
        assertThat(message.appendedAt()).isBetween(before, Instant.now().plusSeconds(1));
        assertThat(message.key()).isEmpty();
        assertThat(message.topic()).isEqualTo(NEWS);
        assertThat(Offset.parse(message.offset().toString())).isEqualTo(message.offset());
    }

    @Test
    void valuesMayBeMegabytesLarge() {
        await(topics.create(database, BLOBS, TopicSettings.partitions(1)));
        int[] sizes = {0, 1, 89_999, 90_000, 90_001, 1_000_000, 3_000_000, 10, 5_000_000, 7};
        for (int size : sizes) {
            await(topics.append(database, BLOBS, NewMessage.of(blob(size))));
        }

        List<byte[]> seen = new ArrayList<>();
        Position next = Position.earliest();
        MessagePage<byte[]> page;
        do {
            page = await(topics.read(database, BLOBS, 0, next, 3));
            seen.addAll(values(page));
            next = Position.after(page.next());
        } while (!page.isEnd());
        assertThat(seen).hasSize(sizes.length);
        for (int i = 0; i < sizes.length; i++) {
            assertThat(seen.get(i)).isEqualTo(blob(sizes[i]));
        }
    }

    @Test
    void aMessageMayBeOfZeros() {
        await(topics.create(database, BLOBS, TopicSettings.partitions(1)));
        List<Integer> sizes = List.of(10_000, 45_000, 50_000, 60_000, 90_000);
        for (int size : sizes) {
            NewMessage<byte[]> message = NewMessage.of(new byte[size]);
            await(topics.append(database, BLOBS, message.key("\0".repeat(1_000)).header("zeros", "\0".repeat(7_900))));
        }

        assertThat(values(await(topics.read(database, BLOBS, 0, Position.earliest(), 10))))
                .containsExactlyElementsOf(
                        sizes.stream().map(size -> new byte[size]).toList());
    }

    private static byte[] blob(int size) {
        byte[] blob = new byte[size];
        for (int i = 0; i < size; i++) {
            blob[i] = (byte) (i * 31 + size);
        }
        return blob;
    }

    @Test
    void whatIsTooLargeIsRefused() {
        await(topics.create(database, BLOBS, TopicSettings.partitions(1)));

        assertThatThrownBy(() -> await(topics.append(database, BLOBS, NewMessage.of(new byte[8_000_001]))))
                .hasRootCauseInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("at most 8000000 bytes, and this one 8000001");
        assertThatThrownBy(() ->
                        await(topics.append(database, NEWS, NewMessage.of("a").key("k".repeat(1_001)))))
                .hasRootCauseInstanceOf(MessageTooLargeException.class);
        assertThatThrownBy(() ->
                        await(topics.append(database, NEWS, NewMessage.of("a").header("h", "x".repeat(8_000)))))
                .hasRootCauseInstanceOf(MessageTooLargeException.class);
        List<NewMessage<byte[]>> many = IntStream.range(0, 10)
                .mapToObj(i -> NewMessage.of(blob(1_000_000)))
                .toList();
        assertThatThrownBy(() -> await(topics.appendAll(database, BLOBS, many)))
                .hasRootCauseInstanceOf(TooManyMessagesException.class)
                .hasMessageContaining("append them in several");
        assertThat(await(topics.describe(database, NEWS)).orElseThrow().messages())
                .isZero();
    }

    @Test
    void aValueThatIsAnotherDoesNotStopThoseBesideIt() {
        Topic<Order> asOrders = Topic.of(NEWS.name(), Order.class);
        append("no order");
        await(topics.append(database, asOrders, order("x")));

        List<Message<Order>> messages = await(topics.read(database, asOrders, 0, Position.earliest(), 10))
                .messages();
        assertThatThrownBy(messages.get(0)::value)
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("news");
        assertThat(messages.get(1).value()).isEqualTo(new Order("x", 1));
    }

    @Test
    void aRowThatCannotBeDecodedDoesNotStopThoseBesideIt() {
        append("a", "b", "c");
        List<byte[]> rows = database.run(tx -> tx.getRange(prefix.range()).asList().join().stream()
                .map(com.apple.foundationdb.KeyValue::getKey)
                .filter(key -> prefix.unpack(key).getItems().contains("log"))
                .toList());
        database.run(tx -> {
            tx.set(rows.get(1), Tuple.from(99, "from the future").pack());
            return rows;
        });

        List<Message<String>> messages = read(Position.earliest()).messages();
        assertThat(messages).hasSize(3);
        assertThat(messages.get(0).value()).isEqualTo("a");
        assertThatThrownBy(messages.get(1)::value)
                .isInstanceOf(UndecodableMessageException.class)
                .hasMessageContaining(messages.get(1).offset().toString());
        assertThat(messages.get(2).value()).isEqualTo("c");
    }

    // Reading

    @Test
    void readingGoesOnFromPageToPage() {
        for (int i = 0; i < 5; i++) {
            append(items(500 * i, 500 * (i + 1)));
        }

        List<String> seen = new ArrayList<>();
        Position next = Position.earliest();
        int pages = 0;
        MessagePage<String> page;
        do {
            page = await(topics.read(database, NEWS, 0, next, 999));
            seen.addAll(values(page));
            next = Position.after(page.next());
            pages++;
        } while (!page.isEnd());
        assertThat(seen).containsExactly(items(0, 2_500));
        assertThat(pages).isEqualTo(3);
    }

    @Test
    void readingBeginsWhereItIsAskedTo() {
        append("a", "b");
        append("c");
        List<Message<String>> all = read(Position.earliest()).messages();

        assertThat(values(read(Position.after(all.get(0).offset())))).containsExactly("b", "c");
        assertThat(values(read(Position.after(all.get(2).offset())))).isEmpty();
        assertThat(values(read(Position.latest()))).isEmpty();
        MessagePage<String> end = read(Position.latest());
        assertThat(end.isEnd()).isTrue();
        append("d");
        assertThat(values(read(Position.after(end.next())))).containsExactly("d");
    }

    @Test
    void readingBeginsAtATime() {
        for (int minute = 0; minute < 40; minute++) {
            int at = minute;
            await(node(() -> NOON.plus(Duration.ofMinutes(2L * at))).append(database, NEWS, NewMessage.of("at " + at)));
        }

        for (int minute = 0; minute < 40; minute++) {
            Position time = Position.at(NOON.plus(Duration.ofMinutes(2L * minute)));
            assertThat(values(read(time)).get(0)).isEqualTo("at " + minute);
        }
        assertThat(values(read(Position.at(NOON.minusSeconds(1))))).hasSize(40);
        assertThat(values(read(Position.at(NOON.plus(Duration.ofDays(1)))))).containsExactly("at 39");
    }

    // Topics

    @Test
    void aTopicIsDescribedWithoutReadingIt() {
        append("ab", "c");

        TopicInfo info = await(topics.describe(database, NEWS)).orElseThrow();
        assertThat(info.settings()).isEqualTo(TopicSettings.partitions(1));
        assertThat(info.partitions()).containsExactly(new PartitionInfo(0, 2, 2, "\"ab\"\"c\"".length()));
        assertThat(await(topics.describe(database, BLOBS))).isEmpty();
    }

    @Test
    void topicsAreListedByName() {
        await(topics.create(database, BLOBS, TopicSettings.partitions(1)));

        var page = await(topics.list(database, PageRequest.of(2)));
        assertThat(page.items()).containsExactly("blobs", "news");
        assertThat(await(topics.list(
                                database, PageRequest.of(2).after(page.next().orElseThrow())))
                        .items())
                .containsExactly("orders");
    }

    @Test
    void aTopicIsCreatedOnce() {
        assertThat(await(topics.create(database, NEWS, TopicSettings.partitions(1))))
                .isFalse();
        assertThatThrownBy(() -> await(topics.create(database, NEWS, TopicSettings.partitions(2))))
                .hasRootCauseInstanceOf(TopicExistsException.class)
                .hasMessageContaining("news");
    }

    @Test
    void aTopicThatIsNotThereIsNamed() {
        Topic<String> missing = Topic.of("missing", String.class);
        List.<CompletableFuture<?>>of(
                        topics.append(database, missing, NewMessage.of("a")),
                        topics.read(database, missing, 0, Position.earliest(), 1),
                        topics.change(database, missing, TopicSettings.partitions(1)),
                        topics.sweep(database, missing))
                .forEach(call -> assertThatThrownBy(() -> await(call))
                        .hasRootCauseInstanceOf(TopicNotFoundException.class)
                        .hasMessageContaining("\"missing\""));
        assertThat(await(topics.delete(database, missing))).isFalse();
    }

    @Test
    void aTopicThatIsCreatedAgainHasNothingOfTheFormerOne() {
        append("old");
        assertThat(await(topics.delete(database, NEWS))).isTrue();
        await(topics.create(database, NEWS, TopicSettings.partitions(1)));
        append("new");

        assertThat(news()).containsExactly("new");
        assertThat(await(topics.describe(database, NEWS)).orElseThrow().messages())
                .isEqualTo(1);
    }

    @Test
    void anAppendGoesToAPartitionOfTheTopicThatIsMadeAgainMeanwhile() {
        UnknownResult again = new UnknownResult(database, false, () -> {
            await(topics.delete(database, ORDERS));
            await(topics.create(database, ORDERS, TopicSettings.partitions(1)));
        });

        for (int i = 0; i < 4; i++) { // keys of several partitions
            await(topics.delete(database, ORDERS));
            await(topics.create(database, ORDERS, TopicSettings.partitions(4)));
            await(topics.append(again, ORDERS, order("late").key("key " + i)));
            assertThat(values(await(topics.read(database, ORDERS, 0, Position.earliest(), 10))))
                    .containsExactly(new Order("late", 1));
        }
    }

    @Test
    void aTransactionThatAppendsToATopicThatIsDeletedMeanwhileFails() {
        try (Transaction tx = database.createTransaction()) {
            await(topics.append(tx, NEWS, NewMessage.of("late")));
            await(topics.delete(database, NEWS));

            assertThatThrownBy(() -> await(tx.commit())).hasMessageContaining("not committed");
        }
        assertThat(database.<Integer>read(
                        tx -> tx.getRange(prefix.get("couch_topics").get("data").range())
                                .asList()
                                .join()
                                .size()))
                .isZero();
    }

    @Test
    void aTopicGetsMorePartitionsAndNeverFewer() {
        await(topics.change(database, NEWS, TopicSettings.partitions(3)));
        await(topics.append(database, NEWS, NewMessage.of("a").partition(2)));

        assertThat(await(topics.describe(database, NEWS)).orElseThrow().partitions())
                .extracting(PartitionInfo::messages)
                .containsExactly(0L, 0L, 1L);
        assertThatThrownBy(() -> await(topics.change(database, NEWS, TopicSettings.partitions(2))))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 3 partitions");
    }

    @Test
    void invalidArgumentsAreRefused() {
        assertThatThrownBy(() -> Topic.of("", String.class)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Topic.of("\ud800", String.class)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TopicSettings.partitions(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TopicSettings.partitions(1_025)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TopicSettings.partitions(1).maxAge(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TopicSettings.partitions(1).maxBytes(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Offset.parse("12")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Offset.parse("z".repeat(24))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> topics.read(database, NEWS, 0, Position.earliest(), 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(Optional.of(NEWS)).contains(Topic.of("news", String.class));
    }
}
