package dev.couchjobs.topics.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import dev.couchjobs.topics.ChangePublisher;
import dev.couchjobs.topics.JobChanged;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A database is closed before the consumers and publishers that stand on it, which end at once nevertheless. */
class ClosedFirstTest {
    private static final Topic<String> NEWS = Topic.of("news", String.class);
    private static final Topic<JobChanged> CHANGES = Topic.of("changes", JobChanged.class);
    private static final JobType<String, Void> MAIL = JobType.of("mail", String.class);
    private static final RetryPolicy RETRY =
            RetryPolicy.standard().attempts(3).backoff(Duration.ofHours(1), 1, Duration.ofHours(1));
    private static final Duration PROMPTLY = Duration.ofSeconds(1);

    private final VirtualScheduler time = new VirtualScheduler();
    private final Database database =
            EmbeddedDatabase.openInMemory(new EngineEnvironment(time, time, time::nanoTime, new Random(1)));
    private final Environment environment = new Environment(time, time, new Random(2));
    private final Topics topics =
            Topics.builder(database).environment(environment).build();
    private final List<CompletableFuture<Object>> handlers = new ArrayList<>();

    @AfterEach
    void close() {
        database.close();
        time.runUntilIdle();
    }

    /** What a consumer has under way when its database is closed. */
    private enum UnderWay {
        /** It waits for messages. */
        NOTHING,
        /** A handler runs until after the close. */
        HANDLER,
        /** A handler has ended since: its commit cannot be made. */
        COMMIT,
        /** A handler has failed before: its message waits for the next attempt. */
        RETRY,
        /** A handler has failed since: the failure cannot be counted. */
        FAILURE
    }

    private TopicConsumer consumer(UnderWay underWay) {
        time.await(topics.create(database, NEWS, TopicSettings.partitions(2)));
        TopicConsumer consumer = time.await(topics.group(NEWS, "readers")
                .consumer()
                .retry(RETRY)
                .executor(time)
                .inTransactionAsync((tx, messages) -> {
                    handlers.add(new CompletableFuture<>());
                    return handlers.get(handlers.size() - 1);
                })
                .startAsync());
        if (underWay != UnderWay.NOTHING) {
            time.await(topics.append(database, NEWS, NewMessage.of("a")));
        }
        time.advance(Duration.ofSeconds(2));
        if (underWay == UnderWay.RETRY) {
            endHandlers(underWay);
        }
        return consumer;
    }

    private void endHandlers(UnderWay underWay) {
        for (CompletableFuture<Object> handler : handlers) {
            if (underWay == UnderWay.RETRY || underWay == UnderWay.FAILURE) {
                handler.completeExceptionally(new IllegalStateException("no news"));
            } else {
                handler.complete("read");
            }
        }
        time.advance(Duration.ofMillis(1));
    }

    private void assertEnds(CompletableFuture<?> stopped) {
        time.advance(PROMPTLY);
        assertThat(stopped).isDone();
    }

    @ParameterizedTest
    @EnumSource
    void aConsumerThatIsStoppedAfterItsDatabaseEndsAtOnce(UnderWay underWay) {
        TopicConsumer consumer = consumer(underWay);
        database.close();
        if (underWay == UnderWay.COMMIT || underWay == UnderWay.FAILURE) {
            endHandlers(underWay);
        }

        CompletableFuture<Void> stopped = consumer.stop();
        time.advance(Duration.ofMillis(1));
        endHandlers(underWay);

        assertEnds(stopped);
    }

    @ParameterizedTest
    @EnumSource
    void aConsumerWhoseDatabaseWasClosedLongAgoEndsAtOnce(UnderWay underWay) {
        TopicConsumer consumer = consumer(underWay);
        database.close();
        endHandlers(underWay);
        time.advance(Duration.ofHours(2));

        assertEnds(consumer.stop());
    }

    @ParameterizedTest
    @EnumSource
    void aConsumerThatIsStoppingWhenItsDatabaseIsClosedEndsAtOnce(UnderWay underWay) {
        TopicConsumer consumer = consumer(underWay);
        CompletableFuture<Void> stopped = consumer.stop();
        database.close();
        endHandlers(underWay);

        assertEnds(stopped);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7_200_000})
    void aPublisherThatIsStoppedAfterItsDatabaseEndsAtOnce(long laterMillis) {
        try (CouchJobs jobs =
                CouchJobs.builder(database).environment(environment).build()) {
            time.await(topics.create(database, CHANGES, TopicSettings.partitions(1)));
            ChangePublisher publisher = time.await(topics.publishChanges(jobs, MAIL, CHANGES));
            time.await(jobs.add(database, MAIL, "a", "ann"));
            database.close();
            time.advance(Duration.ofMillis(laterMillis));

            assertEnds(publisher.stop());
        }
    }
}
