package dev.couchjobs.topics.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Callbacks;
import dev.couchjobs.fdb.testing.ThrowingParts;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An environment, or an executor of the database, that throws anything, always or now and then: messages are appended,
 * read and handled, as docs/callbacks.md says. In real time, because the substitutes are threads.
 */
class TopicEnvironmentTest {
    private static final Topic<String> NEWS = Topic.of("news", String.class);
    private static final long PATIENCE_SECONDS = 30;
    private static final int MESSAGES = 20;
    /** So few that a consumer reads ahead, which asks the executor of the database. */
    private static final int PAGE = 3;

    private static final Supplier<Throwable> REJECTED = RejectedExecutionException::new;

    /** Makes the environment, and the database, of which parts throw. */
    private record Faulty(
            BiFunction<ThrowingParts, Environment, Environment> environment,
            BiFunction<ThrowingParts, Database, Database> database) {
        static Faulty environment(BiFunction<ThrowingParts, Environment, Environment> environment) {
            return new Faulty(environment, (parts, database) -> database);
        }

        static Faulty scheduler(BiFunction<ThrowingParts, ScheduledExecutorService, ScheduledExecutorService> faulty) {
            return environment((parts, given) ->
                    new Environment(given.clock(), faulty.apply(parts, given.scheduler()), given.random()));
        }
    }

    private static final Map<String, Faulty> CASES = new LinkedHashMap<>();

    static {
        CASES.put(
                "Environment.clock",
                Faulty.environment((parts, given) ->
                        new Environment(parts.clock(given.clock()), given.scheduler(), given.random())));
        CASES.put(
                "Environment.random",
                Faulty.environment((parts, given) ->
                        new Environment(given.clock(), given.scheduler(), parts.random(given.random()))));
        CASES.put("Environment.scheduler, task", Faulty.scheduler(ThrowingParts::tasks));
        CASES.put("Environment.scheduler, timer", Faulty.scheduler(ThrowingParts::timers));
        CASES.put("Environment.scheduler, cancel", Faulty.scheduler(ThrowingParts::cancellations));
        CASES.put(
                "Database.getExecutor, task", new Faulty((parts, environment) -> environment, ThrowingParts::executor));
    }

    private final Database database = EmbeddedDatabase.openInMemory();
    private final Environment system = Environment.system();

    static Stream<Arguments> cases() {
        return CASES.keySet().stream()
                .flatMap(callback -> IntStream.of(1, 2, 3).mapToObj(every -> Arguments.of(callback, every)));
    }

    @AfterEach
    void close() {
        system.close();
        database.close();
    }

    @ParameterizedTest(name = "{0} throws in every call that {1} divides")
    @MethodSource("cases")
    void whateverIsBegunEnds(String callback, int every) throws Exception {
        ThrowingParts parts = new ThrowingParts(
                every,
                Stream.concat(Callbacks.THROWABLES.values().stream(), Stream.of(REJECTED))
                        .toList());
        Faulty faulty = Objects.requireNonNull(CASES.get(callback));
        Database given = faulty.database().apply(parts, database);
        Topics topics = Topics.builder(given)
                .environment(faulty.environment().apply(parts, system))
                .build();
        end(topics.create(given, NEWS, TopicSettings.partitions(2)));
        CompletableFuture<Void> handled = new CompletableFuture<>();
        TopicConsumer consumer = consumer(topics, "readers", MESSAGES, handled);
        CompletableFuture<Boolean> awaited =
                topics.await(NEWS, Position.latest(), Duration.ofSeconds(PATIENCE_SECONDS));
        List<CompletableFuture<?>> appended = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            appended.add(topics.append(given, NEWS, NewMessage.of("message " + i)));
        }

        for (CompletableFuture<?> each : appended) {
            end(each);
        }
        end(handled);
        assertThat(end(awaited)).isTrue();
        int read = 0;
        for (int partition = 0; partition < 2; partition++) {
            read += end(topics.read(given, NEWS, partition, Position.earliest(), MESSAGES))
                    .messages()
                    .size();
        }
        assertThat(read).isEqualTo(MESSAGES);
        CompletableFuture<Void> handledLater = new CompletableFuture<>();
        TopicConsumer late = consumer(topics, "late readers", PAGE, handledLater);
        end(handledLater);
        end(consumer.stop());
        end(late.stop());
        if (every == 1) { // otherwise perhaps there was but one call
            end(parts.firstThrown()); // a timer may be cancelled after the wait that it bounded has ended
        }
    }

    /** {@return a consumer} It completes the future when it has handled all messages. */
    private static TopicConsumer consumer(Topics topics, String group, int batch, CompletableFuture<Void> handled)
            throws Exception {
        List<String> values = new ArrayList<>();
        return end(topics.group(NEWS, group)
                .consumer()
                .batch(batch)
                .handle(messages -> {
                    synchronized (values) {
                        messages.forEach(message -> values.add(message.value()));
                        if (values.size() == MESSAGES) {
                            handled.complete(null);
                        }
                    }
                })
                .startAsync());
    }

    private static <T> T end(Future<T> future) throws Exception {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
}
