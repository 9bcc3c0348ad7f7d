package dev.couchjobs.topics.costs;

import com.apple.foundationdb.Database;
import dev.couchjobs.costs.Cost;
import dev.couchjobs.costs.MeasuredDatabase;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.topics.ConsumerBuilder;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.GroupPage;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Topics in virtual time, an instance whose transactions are measured, and another to set the scene with. */
final class TopicCostFixture implements AutoCloseable {
    static final Topic<String> ORDERS = Topic.of("orders", String.class);
    static final Topic<String> NEW = Topic.of("new", String.class);
    static final Topic<String> PRICES = Topic.of("prices", String.class);
    static final int PARTITIONS = 8;
    static final int MANY = 100;
    static final Duration AGE = Duration.ofMinutes(10);
    private static final String VALUE = "x".repeat(98);

    private final VirtualStage stage = new VirtualStage(6);
    private final MeasuredDatabase measured = new MeasuredDatabase(stage.database(), stage.time());
    final Topics topics = topics(measured.asDatabase());
    private final Topics others = topics(stage.database());

    TopicCostFixture() {
        await(others.create(database(), ORDERS, settings()));
    }

    static TopicSettings settings() {
        return TopicSettings.partitions(PARTITIONS).maxAge(AGE);
    }

    private Topics topics(Database way) {
        return Topics.builder(way).environment(stage.environment()).build();
    }

    Database measured() {
        return measured.asDatabase();
    }

    Database database() {
        return stage.database();
    }

    <T> T await(CompletableFuture<T> future) {
        return stage.await(future);
    }

    Instant now() {
        return stage.time().instant();
    }

    /** Many messages come. */
    void appended() {
        filled();
        pass(Duration.ofMillis(100));
    }

    void pass(Duration time) {
        stage.time().advance(time);
    }

    Cost cost(Runnable happens, Predicate<Cost> transactions) {
        measured.forget();
        happens.run();
        return Cost.of(measured.tries().stream()
                .filter(each -> transactions.test(each.cost()))
                .toList());
    }

    /** {@return a message for the first partition, of 100 bytes as JSON} */
    static NewMessage<String> message() {
        return NewMessage.of(VALUE).partition(0);
    }

    static List<NewMessage<String>> messages(int count) {
        return IntStream.range(0, count).mapToObj(i -> message()).toList();
    }

    /** Appends by an instance whose partition has a mark: most appends leave none. */
    Topics marked() {
        await(topics.append(database(), ORDERS, message()));
        return topics;
    }

    /** {@return a topic with many messages in one partition} */
    Topic<String> filled() {
        await(others.appendAll(database(), ORDERS, messages(MANY)));
        return ORDERS;
    }

    /** {@return a group that has many messages to consume} */
    ConsumerGroup<String> group() {
        filled();
        await(others.group(ORDERS, "packers").create(database(), Position.earliest()));
        return topics.group(ORDERS, "packers");
    }

    /** {@return a group that has consumed all} */
    ConsumerGroup<String> groupAtEnd() {
        ConsumerGroup<String> group = group();
        await(others.group(ORDERS, "packers").poll(database(), MANY));
        return group;
    }

    /** {@return a page that the group has still to commit} */
    GroupPage<String> peeked() {
        return await(group().peek(database(), OptionalInt.empty(), MANY));
    }

    ConsumerBuilder<String> consumer() {
        return topics.group(ORDERS, "packers").consumer().executor(stage.time());
    }

    ConsumerBuilder<String> inTransaction() {
        return consumer().inTransactionAsync((tx, all) -> CompletableFuture.completedFuture(tx));
    }

    /** {@return a consumer that has joined, holds all partitions, and waits} */
    TopicConsumer waiting(ConsumerBuilder<String> consumer) {
        TopicConsumer started = await(consumer.startAsync());
        pass(Duration.ofSeconds(5));
        return started;
    }

    /** Messages that the retention does not keep any more, behind a mark. */
    Topic<String> old() {
        filled();
        pass(Duration.ofMinutes(2));
        filled();
        pass(AGE.plusMinutes(1));
        return ORDERS;
    }

    /** {@return a compacted topic of one partition, in which each of two messages of a key follows another} */
    Topic<String> compacted() {
        await(others.create(database(), PRICES, TopicSettings.partitions(1).compactAfter(AGE)));
        await(topics.appendAll(
                database(), PRICES, List.of(price(), NewMessage.of(VALUE).key("desk"), price())));
        return PRICES;
    }

    /** Messages that have become old, behind a mark. */
    Topic<String> superseded() {
        compacted();
        pass(Duration.ofMinutes(2));
        await(others.sweep(database(), PRICES));
        pass(AGE.plusMinutes(1));
        return PRICES;
    }

    static NewMessage<String> price() {
        return NewMessage.of(VALUE).key("lamp");
    }

    @Override
    public void close() {
        stage.close();
    }
}
