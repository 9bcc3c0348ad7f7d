package dev.couchjobs.topics.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.topics.ConsumerBuilder;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import dev.couchjobs.topics.simulation.TopicRows.Held;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When consumers get partitions, and when they give them back, where nothing but what the tests do goes wrong. */
class ConsumerTimesTest {
    private static final String GROUP = "group";
    private static final Duration LEASE = Duration.ofSeconds(9);
    private static final Duration ROUND = LEASE.dividedBy(3);
    private static final int ATTEMPTS = 3;
    private static final Topic<String> DEAD = Topic.of("dead", String.class);
    /** For the transactions of a few rounds. */
    private static final Duration TRANSACTIONS = Duration.ofSeconds(1);

    private static Simulation simulation() {
        return simulation(line -> {});
    }

    private static Simulation simulation(Consumer<String> trace) {
        Simulation simulation = Simulation.builder(1)
                .traceTo(trace)
                .calm()
                .latency(Duration.ofMillis(2), Duration.ofMillis(5))
                .build();
        simulation.await(Actors.topics(simulation.process("first"))
                .create(simulation.database(), Actors.TOPIC, TopicSettings.partitions(Actors.PARTITIONS)));
        return simulation;
    }

    private static TopicConsumer consumer(Simulation simulation, SimulatedProcess process) {
        Topics topics = Actors.topics(process);
        return simulation.await(topics.group(Actors.TOPIC, GROUP)
                .consumer()
                .lease(LEASE)
                .executor(process.scheduler())
                .handle(messages -> {})
                .startAsync());
    }

    private static Collection<Held> partitions(Simulation simulation) {
        try (Transaction tx = simulation.database().createTransaction()) {
            return Objects.requireNonNull(TopicRows.of(tx)).claims().values();
        }
    }

    private static Set<String> holders(Simulation simulation) {
        return partitions(simulation).stream()
                .map(partition -> String.valueOf(partition.holder()))
                .collect(Collectors.toSet());
    }

    @Test
    void aStoppedConsumerHoldsNothing() {
        for (int millis = 0; millis < 60; millis++) {
            try (Simulation simulation = simulation()) {
                TopicConsumer consumer = consumer(simulation, simulation.process("consumer"));
                simulation.advance(Duration.ofMillis(millis));
                simulation.await(consumer.stop());
                simulation.advance(Duration.ofSeconds(1));

                assertThat(partitions(simulation))
                        .as("stopped after %s ms", millis)
                        .allMatch(partition -> partition.holder() == null);
            }
        }
    }

    @Test
    void thePartitionsOfADeadConsumerAreTakenAfterItsLease() {
        Duration slowest = Duration.ZERO;
        for (int millis = 0; millis < 6_000; millis += 200) {
            slowest = later(slowest, takeover(Duration.ofMillis(millis), Duration.ZERO));
        }
        assertThat(slowest).isBetween(LEASE, LEASE.plus(ROUND).plus(TRANSACTIONS));
    }

    /** A round waits for its commit alone: a read of the row, and the commit itself. */
    @Test
    void aConsumerThatCatchesUpReadsWhileItHandlesAndCommits() {
        int pages = 20;
        Duration read = Duration.ofMillis(25);
        Duration commit = Duration.ofMillis(5);
        try (Simulation simulation =
                Simulation.builder(1).calm().latency(read, commit).build()) {
            SimulatedProcess process = simulation.process("consumer");
            Topics topics = Actors.topics(process);
            simulation.await(topics.create(process.database(), Actors.TOPIC, TopicSettings.partitions(1)));
            simulation.await(topics.appendAll(
                    process.database(),
                    Actors.TOPIC,
                    Stream.generate(() -> NewMessage.of("a")).limit(10L * pages).toList()));
            List<Duration> handled = new ArrayList<>();
            simulation.await(topics.group(Actors.TOPIC, GROUP)
                    .consumer()
                    .batch(10)
                    .executor(process.scheduler())
                    .handle(messages -> handled.add(simulation.elapsed()))
                    .startAsync());
            simulation.advance(Duration.ofMinutes(1));

            assertThat(handled).hasSize(pages);
            // Answers come in order, so the first commit waits for the second page, which is asked for shortly before.
            Duration each = handled.get(pages - 1).minus(handled.get(1)).dividedBy(pages - 2);
            assertThat(each).isEqualTo(read.plus(commit));
        }
    }

    /** The lease begins again for those whose clocks are set back. */
    @Test
    void aClockThatIsSetBackDoesNotKeepADeadConsumerAlive() {
        Duration slowest = Duration.ZERO;
        for (int millis = 0; millis < 6_000; millis += 200) {
            slowest = later(slowest, takeover(Duration.ofMillis(millis), Duration.ofDays(-30)));
        }
        assertThat(slowest)
                .isBetween(LEASE, LEASE.multipliedBy(2).plus(ROUND).plus(ROUND).plus(TRANSACTIONS));
    }

    @Test
    void aClockThatJumpsAheadTakesNothingFromTheLiving() {
        try (Simulation simulation = simulation()) {
            SimulatedProcess one = simulation.process("one");
            SimulatedProcess other = simulation.process("other");
            TopicConsumer first = consumer(simulation, one);
            TopicConsumer second = consumer(simulation, other);
            simulation.advance(LEASE);
            List<Held> before = List.copyOf(partitions(simulation));
            assertThat(holders(simulation)).containsExactlyInAnyOrder(first.name(), second.name());
            for (int jump = 0; jump < 20; jump++) {
                other.pause(Duration.ofSeconds(4)); // the first sees its last heartbeat twice
                simulation.advance(Duration.ofMillis(3_700));
                one.jumpClock(Duration.ofDays(1));
                simulation.advance(ROUND);
            }
            assertThat(List.copyOf(partitions(simulation))).isEqualTo(before);
        }
    }

    @Test
    void aPartitionIsGivenBackWhenItsHandlerHasEnded() {
        try (Simulation simulation = simulation()) {
            SimulatedProcess process = simulation.process("slow");
            Topics topics = Actors.topics(process);
            List<String> holdersAtEnd = new ArrayList<>();
            TopicConsumer slow = simulation.await(topics.group(Actors.TOPIC, GROUP)
                    .consumer()
                    .lease(LEASE)
                    .executor(task -> {
                        var unused = process.scheduler().schedule(task, 4, TimeUnit.SECONDS);
                    })
                    .handle(messages ->
                            holdersAtEnd.add(holder(simulation, messages.get(0).partition())))
                    .startAsync());
            simulation.advance(LEASE);
            for (int partition = 0; partition < Actors.PARTITIONS; partition++) {
                simulation.await(topics.append(
                        process.database(),
                        Actors.TOPIC,
                        NewMessage.of("m-" + partition).partition(partition)));
            }
            TopicConsumer second = consumer(simulation, simulation.process("second"));
            simulation.advance(LEASE);

            assertThat(holdersAtEnd).hasSize(Actors.PARTITIONS).containsOnly(slow.name());
            assertThat(holders(simulation)).containsExactlyInAnyOrder(slow.name(), second.name());
        }
    }

    /** A consumer whose handlers of one partition take their time: when each begins, and when it ends. */
    private static final class Slow {
        private static final Duration TAKES = LEASE.multipliedBy(6);

        private final SimulatedProcess process;
        private final List<String> calls = new ArrayList<>();
        private final TopicConsumer consumer;

        Slow(Simulation simulation) {
            process = simulation.process("slow");
            consumer = simulation.await(Actors.topics(process)
                    .group(Actors.TOPIC, GROUP)
                    .consumer()
                    .lease(LEASE)
                    .executor(task -> {
                        calls.add("begins");
                        var unused = process.scheduler().schedule(task, TAKES.toSeconds(), TimeUnit.SECONDS);
                    })
                    .handle(messages -> calls.add("ends"))
                    .startAsync());
            simulation.advance(LEASE);
            append(simulation);
            assertThat(calls).containsExactly("begins");
        }

        void append(Simulation simulation) {
            simulation.await(Actors.topics(process)
                    .append(process.database(), Actors.TOPIC, NewMessage.of("m").partition(0)));
            simulation.advance(TRANSACTIONS);
        }

        /** Loses all partitions to another consumer, and learns of it. {@return the other one} */
        TopicConsumer lose(Simulation simulation) {
            TopicConsumer other = consumer(simulation, simulation.process("other"));
            process.pause(LEASE.multipliedBy(3));
            simulation.advance(LEASE.multipliedBy(2));
            assertThat(holders(simulation)).containsExactly(other.name());
            simulation.advance(LEASE.plus(TRANSACTIONS));
            assertThat(calls).containsExactly("begins");
            return other;
        }
    }

    @Test
    void aConsumerThatHasLostItsPartitionsStopsWhenItsHandlersHaveEnded() {
        try (Simulation simulation = simulation()) {
            Slow slow = new Slow(simulation);
            TopicConsumer other = slow.lose(simulation);

            CompletableFuture<Void> stopped = slow.consumer.stop();
            simulation.advance(TRANSACTIONS);
            assertThat(stopped).isNotDone();
            simulation.advance(Slow.TAKES);

            assertThat(stopped).isCompleted();
            assertThat(slow.calls).containsExactly("begins", "ends");
            assertThat(holders(simulation)).containsExactly(other.name());
        }
    }

    @Test
    void aPartitionThatWasLostIsConsumedAgainWhenItsHandlerHasEnded() {
        try (Simulation simulation = simulation()) {
            Slow slow = new Slow(simulation);
            TopicConsumer other = slow.lose(simulation);
            simulation.await(other.stop());
            slow.append(simulation);
            assertThat(holders(simulation)).containsExactly(slow.consumer.name());
            assertThat(slow.calls).containsExactly("begins");

            simulation.advance(Slow.TAKES.multipliedBy(2));

            assertThat(slow.calls).containsExactly("begins", "ends", "begins", "ends");
        }
    }

    @Test
    void aConsumerThatIsStoppedAgainStopsWhenItsHandlersHaveEnded() {
        try (Simulation simulation = simulation()) {
            Slow slow = new Slow(simulation);

            List<CompletableFuture<Void>> stopped = List.of(slow.consumer.stop(), slow.consumer.stop());
            simulation.advance(TRANSACTIONS);
            assertThat(stopped).noneMatch(CompletableFuture::isDone);
            assertThat(holders(simulation)).containsExactly(slow.consumer.name());
            simulation.advance(Slow.TAKES);

            assertThat(stopped).allMatch(CompletableFuture::isDone);
            assertThat(slow.calls).containsExactly("begins", "ends");
            assertThat(holders(simulation)).containsExactly("null");
        }
    }

    private static String holder(Simulation simulation, int partition) {
        try (Transaction tx = simulation.database().createTransaction()) {
            return String.valueOf(Objects.requireNonNull(
                            Objects.requireNonNull(TopicRows.of(tx)).claims().get(Tuple.from(GROUP, partition)))
                    .holder());
        }
    }

    /** A heartbeat in three seconds, and in a minute a look at each partition and at the settings of the topic. */
    @Test
    void anIdleConsumerOfATopicThatKeepsAllHardlyReads() {
        AtomicInteger transactions = new AtomicInteger();
        try (Simulation simulation = simulation(line -> {
            if (line.contains("begins transaction")) {
                transactions.incrementAndGet();
            }
        })) {
            TopicConsumer consumer = consumer(simulation, simulation.process("idle"));
            simulation.advance(LEASE);
            transactions.set(0);
            simulation.advance(Duration.ofMinutes(10));

            assertThat(consumer.name()).isNotEmpty();
            assertThat(transactions.get()).isBetween(200, 200 + 10 * (2 * Actors.PARTITIONS + 1));
        }
    }

    private static Duration later(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** {@return how long after the death of a consumer two others have its partitions, whose clocks jump meanwhile} */
    private static Duration takeover(Duration age, Duration jump) {
        try (Simulation simulation = simulation()) {
            SimulatedProcess dying = simulation.process("dying");
            TopicConsumer dead = consumer(simulation, dying);
            List<SimulatedProcess> others = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                simulation.advance(Duration.ofMillis(700));
                others.add(simulation.process("other"));
                assertThat(consumer(simulation, others.get(i)).name()).isNotEqualTo(dead.name());
            }
            simulation.advance(Duration.ofSeconds(10).plus(age));
            assertThat(holders(simulation)).hasSize(3).contains(dead.name());
            dying.kill();
            Duration start = simulation.elapsed();
            simulation.advance(LEASE.minusSeconds(1));
            others.forEach(other -> other.jumpClock(jump));
            while (holders(simulation).contains(dead.name())
                    && simulation.elapsed().minus(start).compareTo(LEASE.multipliedBy(5)) < 0) {
                simulation.advance(Duration.ofMillis(100));
            }
            return simulation.elapsed().minus(start);
        }
    }

    /** Messages {@code a}, {@code bad}, {@code b}: a consumer that is handed the second dies, and another starts. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageThatKillsItsProcessesBecomesADeadLetter(boolean isOrdered) {
        try (Simulation simulation = simulation()) {
            SimulatedProcess first = simulation.process("producer");
            Topics topics = Actors.topics(first);
            simulation.await(topics.create(first.database(), DEAD, TopicSettings.partitions(1)));
            List<String> handled = new ArrayList<>();
            AtomicInteger deaths = new AtomicInteger();
            simulation.onDeath(process -> startVictim(simulation, isOrdered, handled, deaths));
            startVictim(simulation, isOrdered, handled, deaths);
            simulation.await(topics.appendAll(
                    first.database(),
                    Actors.TOPIC,
                    Stream.of("a", "bad", "b")
                            .map(value -> NewMessage.of(value).partition(0))
                            .toList()));
            simulation.advance(LEASE.multipliedBy(10));

            assertThat(handled).endsWith("b").containsOnly("a", "b");
            assertThat(simulation
                            .await(topics.read(first.database(), DEAD, 0, Position.earliest(), 10))
                            .messages())
                    .extracting(Message::value)
                    .containsExactly("bad");
            // In the batch, after a message of it, and then as often as the policy says.
            assertThat(deaths).hasValue(ATTEMPTS + 2);
            assertThat(simulation
                            .await(topics.group(Actors.TOPIC, GROUP).describe(first.database()))
                            .lag())
                    .isZero();
        }
    }

    private static void startVictim(
            Simulation simulation, boolean isOrdered, List<String> handled, AtomicInteger deaths) {
        SimulatedProcess process = simulation.process("victim");
        ConsumerBuilder<String> builder = Actors.topics(process)
                .group(Actors.TOPIC, GROUP)
                .consumer()
                .lease(LEASE)
                .retry(RetryPolicy.standard()
                        .attempts(ATTEMPTS)
                        .backoff(Duration.ofMillis(10), 1, Duration.ofMillis(10)))
                .deadLetters(DEAD)
                .executor(process.scheduler());
        if (!isOrdered) {
            builder.retryOutOfOrder();
        }
        var unused = builder.handle(messages -> messages.forEach(message -> {
                    if (message.value().equals("bad")) {
                        deaths.incrementAndGet();
                        process.kill();
                        throw new IllegalStateException("dead");
                    }
                    handled.add(message.value());
                }))
                .startAsync();
    }
}
