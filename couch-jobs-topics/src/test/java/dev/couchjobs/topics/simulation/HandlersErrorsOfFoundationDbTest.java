package dev.couchjobs.topics.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import dev.couchjobs.Environment;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import dev.couchjobs.topics.ConsumerBuilder;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A handler that itself uses FoundationDB throws FoundationDB's errors: they fail its messages as all others. */
class HandlersErrorsOfFoundationDbTest {
    private static final Topic<String> NEWS = Topic.of("news", String.class);
    private static final Topic<String> DEAD = Topic.of("dead", String.class);

    private final VirtualScheduler time = new VirtualScheduler();
    private final Database database =
            EmbeddedDatabase.openInMemory(new EngineEnvironment(time, time, time::nanoTime, new Random(1)));
    private final List<String> handled = new ArrayList<>();

    @AfterEach
    void close() {
        database.close();
        time.runUntilIdle();
    }

    @ParameterizedTest
    @ValueSource(ints = {1020, 1021, 1025, 2101, 2103})
    void beforeTheCommit(int code) {
        assertDeadLetter(builder -> builder.handle(messages -> take(messages, code)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1007, 1020, 1021, 1025, 1031, 2101, 2103})
    void inTheTransaction(int code) {
        assertDeadLetter(builder -> builder.inTransaction((tx, messages) -> take(messages, code)));
    }

    /** A message that makes a key of more than 10,000 bytes. */
    @Test
    void aKeyThatIsTooLarge() {
        assertDeadLetter(builder -> builder.inTransaction((tx, messages) -> {
            for (Message<String> message : messages) {
                tx.set(new byte[message.value().equals("bad") ? 20_000 : 10], new byte[0]);
            }
            messages.forEach(message -> handled.add(message.value()));
        }));
    }

    /** Each value alone is small enough: only the commit tells. */
    @Test
    void writesThatAreTooManyForATransaction() {
        assertDeadLetter(builder -> builder.inTransaction((tx, messages) -> {
            for (Message<String> message : messages) {
                for (int i = 0; i < (message.value().equals("bad") ? 110 : 1); i++) {
                    tx.set(new byte[] {(byte) i}, new byte[100_000]);
                }
            }
            messages.forEach(message -> handled.add(message.value()));
        }));
    }

    @Test
    void aTransactionThatTheHandlerCancels() {
        assertDeadLetter(builder -> builder.inTransaction((tx, messages) -> {
            if (messages.stream().anyMatch(message -> message.value().equals("bad"))) {
                tx.cancel();
            }
            messages.forEach(message -> handled.add(message.value()));
        }));
    }

    /** It is no attempt of the handler's: the group allows none. */
    @Test
    void theDatabaseRepeatsATransactionThatHasFailedAFewTimes() {
        Topics topics = start(
                RetryPolicy.never(),
                builder -> builder.inTransaction((tx, messages) -> {
                    if (handled.size() < 5) {
                        handled.add("again");
                        throw new FDBException("too old", 1007);
                    }
                    take(messages, 1007);
                }));
        time.await(topics.append(database, NEWS, NewMessage.of("b")));
        time.advance(Duration.ofMinutes(1));

        assertThat(handled).containsExactly("again", "again", "again", "again", "again", "b");
        assertThat(deadLetters(topics)).isZero();
    }

    private void take(List<Message<String>> messages, int code) {
        for (Message<String> message : messages) {
            if (message.value().equals("bad")) {
                throw new FDBException("of the handler's own", code);
            }
            handled.add(message.value());
        }
    }

    private void assertDeadLetter(UnaryOperator<ConsumerBuilder<String>> handler) {
        Duration pause = Duration.ofMillis(100);
        Topics topics = start(RetryPolicy.standard().attempts(3).backoff(pause, 1, pause), handler);
        time.await(topics.append(database, NEWS, NewMessage.of("bad")));
        time.await(topics.append(database, NEWS, NewMessage.of("b")));
        time.advance(Duration.ofMinutes(5));

        assertThat(deadLetters(topics)).isEqualTo(1);
        assertThat(handled).endsWith("b");
    }

    private Topics start(RetryPolicy policy, UnaryOperator<ConsumerBuilder<String>> handler) {
        Topics topics = Topics.builder(database)
                .environment(new Environment(time, time, new Random(2)))
                .build();
        time.await(topics.create(database, NEWS, TopicSettings.partitions(1)));
        time.await(topics.create(database, DEAD, TopicSettings.partitions(1)));
        time.await(handler.apply(topics.group(NEWS, "readers")
                        .consumer()
                        .retry(policy)
                        .deadLetters(DEAD)
                        .executor(time))
                .startAsync());
        return topics;
    }

    private long deadLetters(Topics topics) {
        return time.await(topics.describe(database, DEAD)).orElseThrow().messages();
    }
}
