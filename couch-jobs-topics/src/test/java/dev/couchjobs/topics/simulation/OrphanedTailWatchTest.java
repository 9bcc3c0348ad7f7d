package dev.couchjobs.topics.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.loop.WatchLooks;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No watch ever fires here. Whoever waits for messages gets them nevertheless. */
class OrphanedTailWatchTest {
    private static final Duration LONG = Duration.ofHours(2);
    private static final Duration REST = Duration.ofSeconds(100);

    private final Simulation simulation =
            Simulation.builder(1).calm().with(Fault.ORPHANED_WATCH, 1).build();
    private final SimulatedProcess process = simulation.process("waits");
    private final Topics topics = Actors.topics(process);

    @BeforeEach
    void create() {
        simulation.await(topics.create(simulation.database(), Actors.TOPIC, TopicSettings.partitions(2)));
    }

    @AfterEach
    void close() {
        simulation.close();
    }

    private void append() {
        simulation.await(topics.append(simulation.database(), Actors.TOPIC, NewMessage.of("text")));
    }

    private void isServedWithinTheBound(CompletableFuture<Boolean> wait) {
        simulation.advance(REST);
        assertThat(wait).isNotDone();

        append();
        simulation.advance(WatchLooks.BOUND);

        assertThat(wait).isCompletedWithValue(true);
    }

    @Test
    void aReaderIsToldOfAMessage() {
        isServedWithinTheBound(topics.await(Actors.TOPIC, Position.latest(), LONG));
    }

    @Test
    void aGroupIsToldOfAMessage() {
        isServedWithinTheBound(topics.group(Actors.TOPIC, "group").await(LONG));
    }

    @Test
    void aConsumerHandlesAMessage() {
        List<String> handled = new ArrayList<>();
        TopicConsumer consumer = simulation.await(topics.group(Actors.TOPIC, "group")
                .consumer()
                .executor(process.scheduler())
                .handle(messages -> messages.forEach(message -> handled.add(Actors.text(message))))
                .startAsync());
        simulation.advance(REST);

        append();
        simulation.advance(WatchLooks.BOUND);

        assertThat(handled).hasSize(1);
        simulation.await(consumer.stop());
    }
}
