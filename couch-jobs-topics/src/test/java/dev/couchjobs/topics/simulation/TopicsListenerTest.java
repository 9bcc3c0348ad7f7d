package dev.couchjobs.topics.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Environment;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import dev.couchjobs.topics.TopicsListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Listeners hear of partitions that come and go, and of the messages between. */
class TopicsListenerTest {
    private static final String GROUP = "group";
    private static final Duration LEASE = Duration.ofSeconds(9);

    /** Notes events by their classes. */
    private static final class Notes implements TopicsListener {
        final List<Object> events = new ArrayList<>();

        @Override
        public void consumed(MessagesConsumed event) {
            events.add(event);
        }

        @Override
        public void partitionTaken(PartitionTaken event) {
            events.add(event);
        }

        @Override
        public void partitionLost(PartitionLost event) {
            events.add(event);
        }

        long count(Class<?> type) {
            return events.stream().filter(type::isInstance).count();
        }
    }

    private static Topics topics(SimulatedProcess process, TopicsListener listener) {
        return Topics.builder(process.database())
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .listener(listener)
                .build();
    }

    private static Notes consumer(Simulation simulation, SimulatedProcess process) {
        Notes notes = new Notes();
        var unused = simulation.await(topics(process, notes)
                .group(Actors.TOPIC, GROUP)
                .consumer()
                .lease(LEASE)
                .executor(process.scheduler())
                .handle(messages -> {})
                .startAsync());
        return notes;
    }

    @Test
    void partitionsAreTakenAndLost() {
        try (Simulation simulation = Simulation.builder(1)
                .calm()
                .latency(Duration.ofMillis(2), Duration.ofMillis(5))
                .build()) {
            var unused = simulation.await(Actors.topics(simulation.process("first"))
                    .create(simulation.database(), Actors.TOPIC, TopicSettings.partitions(Actors.PARTITIONS)));
            SimulatedProcess slow = simulation.process("slow");
            Notes first = consumer(simulation, slow);
            simulation.advance(LEASE);
            var unusedAppended = simulation.await(Actors.topics(simulation.process("producer"))
                    .append(simulation.database(), Actors.TOPIC, NewMessage.of("a")));
            simulation.advance(Duration.ofSeconds(1));
            assertThat(first.count(TopicsListener.PartitionTaken.class)).isEqualTo(Actors.PARTITIONS);
            assertThat(first.count(TopicsListener.MessagesConsumed.class)).isEqualTo(1);

            slow.pause(LEASE.multipliedBy(3));
            Notes second = consumer(simulation, simulation.process("second"));
            simulation.advance(LEASE.multipliedBy(2));
            assertThat(second.count(TopicsListener.PartitionTaken.class)).isEqualTo(Actors.PARTITIONS);
            simulation.advance(LEASE.multipliedBy(2));
            assertThat(first.count(TopicsListener.PartitionLost.class)).isBetween(1L, (long) Actors.PARTITIONS);
            assertThat(second.count(TopicsListener.PartitionLost.class)).isZero();
        }
    }
}
