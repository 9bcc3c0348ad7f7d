package dev.couchjobs.topics.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.JsonCodec;
import dev.couchjobs.NewJob;
import dev.couchjobs.PayloadException;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import dev.couchjobs.fdb.testing.Callbacks;
import dev.couchjobs.topics.ConsumerBuilder;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import dev.couchjobs.topics.TopicsBuilder;
import dev.couchjobs.topics.TopicsListener;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/** Whatever a callback of topics throws has the result that docs/callbacks.md states, and nothing else. */
class TopicCallbacksTest {
    private static final Topic<String> NEWS = Topic.of("news", String.class);
    private static final Topic<String> DEAD = Topic.of("dead", String.class);
    private static final JobType<String, Void> MAIL = JobType.of("mail", String.class);
    private static final RetryPolicy RETRY =
            RetryPolicy.standard().attempts(3).backoff(Duration.ofMillis(1), 1, Duration.ofMillis(1));

    /** Provokes a callback, which throws, and asserts the stated result. */
    private interface Case {
        void check(TopicCallbacksTest test);
    }

    private static final Map<String, Case> CASES = new LinkedHashMap<>();

    static {
        for (Method method : TopicsListener.class.getDeclaredMethods()) {
            CASES.put("TopicsListener." + method.getName(), test -> test.observes(method.getName()));
        }
        CASES.put(
                "MessageHandler.handle",
                test -> test.handles(builder -> builder.handle(messages -> test.take(messages))));
        CASES.put(
                "TransactionalHandler.handle",
                test -> test.handles(builder -> builder.inTransaction((tx, messages) -> test.take(messages))));
        CASES.put(
                "AsyncTransactionalHandler.handle",
                test -> test.handles(builder -> builder.inTransactionAsync((tx, messages) -> {
                    test.take(messages);
                    return CompletableFuture.completedFuture(tx);
                })));
        CASES.put("ConsumerBuilder.addJobs, function", TopicCallbacksTest::addsJobs);
        CASES.put("JsonCodec.write, value", TopicCallbacksTest::codecRefusesAnAppend);
        CASES.put("JsonCodec.read, value", TopicCallbacksTest::codecFailsAMessage);
        CASES.put("ConsumerBuilder.executor", TopicCallbacksTest::executorRefuses);
    }

    private final VirtualScheduler time = new VirtualScheduler();
    private final Database database =
            EmbeddedDatabase.openInMemory(new EngineEnvironment(time, time, time::nanoTime, new Random(1)));
    private final Environment environment = new Environment(time, time, new Random(2));
    private final List<String> handled = new ArrayList<>();
    private Supplier<Throwable> thrown = IllegalStateException::new;
    private boolean isThrowing = true;
    private int thrownTimes;

    @AfterEach
    void close() {
        database.close();
        time.runUntilIdle();
    }

    static Stream<Arguments> cases() {
        return CASES.keySet().stream()
                .flatMap(callback -> Callbacks.THROWABLES.keySet().stream().map(what -> Arguments.of(callback, what)));
    }

    @ParameterizedTest(name = "{0} throws {1}")
    @MethodSource("cases")
    void whateverACallbackThrowsHasTheStatedResult(String callback, String what) {
        thrown = Objects.requireNonNull(Callbacks.THROWABLES.get(what));

        Objects.requireNonNull(CASES.get(callback)).check(this);

        if (!callback.equals("TopicsListener.partitionLost")) { // which only a silent consumer hears
            assertThat(thrownTimes).as("how often the callback has thrown").isPositive();
        }
    }

    @Test
    void theDocsListTheCallbacks() throws IOException {
        assertThat(Callbacks.documented("Topics")).containsExactlyInAnyOrderElementsOf(CASES.keySet());
    }

    @SuppressWarnings("unchecked")
    private <E extends Throwable> void maybe() throws E {
        if (isThrowing) {
            thrownTimes++;
            throw (E) thrown.get();
        }
    }

    private Topics open(UnaryOperator<TopicsBuilder> settings) {
        Topics topics = settings.apply(Topics.builder(database).environment(environment))
                .build();
        time.await(topics.create(database, NEWS, TopicSettings.partitions(1)));
        time.await(topics.create(database, DEAD, TopicSettings.partitions(1)));
        return topics;
    }

    private void append(Topics topics, String value) {
        time.await(topics.append(database, NEWS, NewMessage.of(value)));
    }

    private long deadLetters(Topics topics) {
        return time.await(topics.describe(database, DEAD)).orElseThrow().messages();
    }

    private TopicConsumer consume(Topics topics, UnaryOperator<ConsumerBuilder<String>> handler) {
        ConsumerBuilder<String> builder = topics.group(NEWS, "readers")
                .consumer()
                .retry(RETRY)
                .deadLetters(DEAD)
                .executor(time);
        return time.await(handler.apply(builder).startAsync());
    }

    private void take(List<Message<String>> messages) {
        for (Message<String> message : messages) {
            if (message.value().startsWith("bad")) {
                maybe();
            }
            handled.add(message.value());
        }
    }

    private void assertHealthy(Topics topics, TopicConsumer consumer) {
        isThrowing = false;
        append(topics, "last");
        time.advance(Duration.ofMinutes(1));
        assertThat(handled).last().isEqualTo("last");
        time.await(consumer.stop());
    }

    private void observes(String event) {
        TopicsListener listener = (TopicsListener) Proxy.newProxyInstance(
                TopicsListener.class.getClassLoader(), new Class<?>[] {TopicsListener.class}, (self, method, args) -> {
                    if (method.getName().equals(event)) {
                        maybe();
                    }
                    return null;
                });
        Topics topics = open(builder -> builder.listener(listener));
        TopicConsumer consumer = consume(
                topics,
                builder -> builder.handle(messages -> {
                    for (Message<String> message : messages) {
                        if (message.value().equals("bad")) {
                            throw new IllegalStateException("bad news");
                        }
                        handled.add(message.value());
                    }
                }));
        append(topics, "a");
        append(topics, "bad");
        append(topics, "b");
        time.advance(Duration.ofMinutes(1));
        assertThat(handled).containsExactly("a", "b");
        assertThat(deadLetters(topics)).isEqualTo(1);
        assertHealthy(topics, consumer);
    }

    private void handles(UnaryOperator<ConsumerBuilder<String>> handler) {
        Topics topics = open(builder -> builder);
        TopicConsumer consumer = consume(topics, handler);
        append(topics, "bad");
        append(topics, "b");
        time.advance(Duration.ofMinutes(1));
        assertThat(thrownTimes).isBetween(3, 4); // the first time perhaps in a batch
        assertThat(deadLetters(topics)).isEqualTo(1);
        assertThat(handled).containsExactly("b");
        assertHealthy(topics, consumer);
    }

    private void addsJobs() {
        CouchJobs jobs = CouchJobs.builder(database).environment(environment).build();
        handles(builder -> builder.addJobs(jobs, message -> {
            take(List.of(message));
            return List.of(NewJob.of(MAIL, message.value()));
        }));
        assertThat(time.await(jobs.counts(database, MAIL)).pending()).isEqualTo(2);
        jobs.close();
    }

    /** {@return a codec that throws for values that begin with "bad"} */
    private JsonCodec codec(boolean throwsInWrite) {
        JsonCodec real = JsonCodec.of(JsonMapper.builder().build());
        return new JsonCodec() {
            @Override
            public byte[] write(Object value, Type type) throws Exception {
                if (throwsInWrite && value.toString().startsWith("bad")) {
                    maybe();
                }
                return real.write(value, type);
            }

            @Override
            public Object read(byte[] json, Type type) throws Exception {
                Object value = real.read(json, type);
                if (!throwsInWrite && value.toString().startsWith("bad")) {
                    maybe();
                }
                return value;
            }
        };
    }

    private void codecRefusesAnAppend() {
        Topics topics = open(builder -> builder.codec(codec(true)));
        assertThatThrownBy(() -> append(topics, "bad")).hasCauseInstanceOf(PayloadException.class);
        assertThat(time.await(topics.describe(database, NEWS)).orElseThrow().messages())
                .isZero();
        assertHealthy(topics, consume(topics, builder -> builder.handle(this::take)));
    }

    private void codecFailsAMessage() {
        Topics topics = open(builder -> builder.codec(codec(false)));
        TopicConsumer consumer = consume(topics, builder -> builder.handle(this::take));
        append(topics, "bad");
        append(topics, "b");
        time.advance(Duration.ofMinutes(1));
        assertThat(deadLetters(topics)).isEqualTo(1);
        assertThat(handled).containsExactly("b");
        assertHealthy(topics, consumer);
    }

    private void executorRefuses() {
        Topics topics = open(builder -> builder);
        TopicConsumer consumer = consume(
                topics,
                builder -> builder.executor(task -> {
                            maybe();
                            time.execute(task);
                        })
                        .handle(this::take));
        append(topics, "a");
        time.advance(Duration.ofMinutes(1));
        assertThat(handled).isEmpty();
        assertThat(thrownTimes).isLessThan(60);
        assertThat(deadLetters(topics)).isZero();
        assertHealthy(topics, consumer);
        assertThat(handled).containsExactly("a", "last");
    }
}
