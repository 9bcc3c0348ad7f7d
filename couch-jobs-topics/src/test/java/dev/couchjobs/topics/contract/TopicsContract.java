package dev.couchjobs.topics.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Environment;
import dev.couchjobs.fdb.testing.TestEngine;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What the suites share: a database for each, a prefix for each test, and a topic of one partition and one of four. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
@ParameterizedClass(name = "{0}")
@MethodSource("dev.couchjobs.fdb.testing.TestEngine#selected")
abstract class TopicsContract {
    static final Instant NOON = Instant.parse("2026-11-27T12:00:00Z");
    static final Topic<String> NEWS = Topic.of("news", String.class);
    static final Topic<Order> ORDERS = Topic.of("orders", Order.class);

    record Order(String item, int count) {}

    @Parameter
    TestEngine engine;

    Database database;
    Subspace prefix;
    Topics topics;

    @BeforeParameterizedClassInvocation
    void openDatabase() {
        database = engine.open();
    }

    @BeforeEach
    void openTopics() {
        prefix = new Subspace(Tuple.from("couch-jobs-topics-contract", UUID.randomUUID()));
        topics = Topics.builder(database).subspace(prefix).build();
        await(topics.create(database, NEWS, TopicSettings.partitions(1)));
        await(topics.create(database, ORDERS, TopicSettings.partitions(4)));
    }

    @AfterEach
    void clear() {
        database.run(tx -> {
            tx.clear(prefix.range());
            return prefix;
        });
    }

    @AfterParameterizedClassInvocation
    void closeDatabase() {
        database.close();
    }

    /** The topics as another process has them, with a clock of its own. */
    final Topics node(InstantSource clock) {
        Environment system = Environment.system();
        return Topics.builder(database)
                .subspace(prefix)
                .environment(new Environment(clock, system.scheduler(), system.random()))
                .build();
    }

    static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(30, TimeUnit.SECONDS).join();
    }

    /** Looks again and again. */
    static void awaitUntil(BooleanSupplier condition) {
        awaitUntil(Duration.ofMillis(2), condition);
    }

    /** @param apart how long the looks are apart: until the next one it needs no processor */
    static void awaitUntil(Duration apart, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("within 30 s").isLessThan(deadline);
            LockSupport.parkNanos(apart.toNanos());
        }
    }

    final void append(String... values) {
        await(topics.appendAll(
                database, NEWS, Stream.of(values).map(NewMessage::of).toList()));
    }

    final MessagePage<String> read(Position from) {
        return await(topics.read(database, NEWS, 0, from, 1_000));
    }

    final List<String> news() {
        return values(read(Position.earliest()));
    }

    static <T> List<T> values(MessagePage<T> page) {
        return page.messages().stream().map(Message::value).toList();
    }
}
