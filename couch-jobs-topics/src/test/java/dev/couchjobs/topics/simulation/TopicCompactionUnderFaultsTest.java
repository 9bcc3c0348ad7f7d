package dev.couchjobs.topics.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.GroupInfo.PartitionLag;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import dev.couchjobs.topics.simulation.TopicRows.Stored;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A compacted topic while everything goes wrong. After every commit its rows obey the {@link TopicLaws} and {@link
 * CompactionLaws}. In the end it has the last message of each key and no other, and the groups have consumed them.
 */
@Tag("long")
class TopicCompactionUnderFaultsTest {
    private static final Duration KEEP = Duration.ofSeconds(10);
    /** The library allows for versions that pass slower than they should. */
    private static final Duration YOUNGEST = KEEP.multipliedBy(9).dividedBy(10);

    private static final Duration CHAOS = Duration.ofMinutes(3);
    /**
     * A sweep leaves the last mark, and a later one compacts up to it: each comes within a minute. Where the clock of
     * the mark before is up to two minutes ahead, it may seem to be of this minute for three.
     */
    private static final Duration COMPACTED_WITHIN = KEEP.plusMinutes(5);

    private static final List<String> GROUPS = List.of(Actors.EXACT, Actors.SOUGHT, Actors.OUTSIDE, Actors.PARKING);

    static LongStream seeds() {
        return Seeds.of(2, 150);
    }

    /**
     * To replay one: {@code ./mvnw verify -pl couch-jobs-topics -am -Dtest=TopicCompactionUnderFaultsTest
     * -Dsimulation.seed=N}.
     */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theLastMessageOfEachKeyStays(long seed) {
        boolean versionsJump = seed % 2 == 0; // then nothing is known of ages
        try (Simulation simulation = versionsJump
                ? Simulation.builder(seed).build()
                : Simulation.builder(seed).without(Fault.STORE_LOSS).build()) {
            CompactionLaws compaction = new CompactionLaws(simulation, versionsJump ? Duration.ZERO : YOUNGEST);
            TopicLaws laws = new TopicLaws(simulation, Actors.PARTITIONS, compaction);
            Actors actors = new Actors(simulation, laws, true);
            Topics topics = Actors.topics(simulation.process("first"));
            simulation.await(topics.create(
                    simulation.database(),
                    Actors.TOPIC,
                    TopicSettings.partitions(Actors.PARTITIONS).compactAfter(KEEP)));
            simulation.await(topics.create(simulation.database(), Actors.GIVEN_UP, TopicSettings.partitions(1)));
            simulation.onDeath(actors::replace);
            GROUPS.forEach(actors::consume);
            GROUPS.forEach(actors::consume);
            actors.produce();
            actors.produce();
            actors.operate();
            actors.operate();
            simulation.advance(CHAOS);

            actors.calmDown();
            actors.end();
            simulation.calm();
            simulation.advance(COMPACTED_WITHIN);

            laws.check();
            Map<String, Versionstamp> messages = laws.messages();
            assertThat(actors.attempted).containsAll(messages.keySet());
            actors.acknowledged.forEach(
                    (value, appended) -> assertThat(appended.offset().join().versionstamp())
                            .as(value)
                            .isEqualTo(messages.get(value)));
            Map<String, Stored> latest = new HashMap<>();
            laws.logs().forEach(log -> latest.putAll(CompactionLaws.latest(log)));
            assertKept(simulation, topics, laws, latest);
            assertConsumed(simulation, topics, actors, laws, latest);
        }
    }

    private static void assertKept(Simulation simulation, Topics topics, TopicLaws laws, Map<String, Stored> latest) {
        for (int partition = 0; partition < Actors.PARTITIONS; partition++) {
            assertThat(simulation
                            .await(topics.read(
                                    simulation.database(), Actors.TOPIC, partition, Position.earliest(), 1_000))
                            .messages())
                    .as("partition %s", partition)
                    .extracting(message -> message.offset().versionstamp())
                    .containsExactlyElementsOf(laws.logs().get(partition).stream()
                            .filter(message -> message.equals(latest.get(message.key())))
                            .map(Stored::stamp)
                            .toList());
        }
        for (int key = 0; key < 20; key++) {
            Stored expected = latest.get("k" + key);
            assertThat(simulation
                            .await(topics.latest(simulation.database(), Actors.TOPIC, "k" + key))
                            .map(message -> message.offset().versionstamp())
                            .orElse(null))
                    .as("key %s", key)
                    .isEqualTo(expected == null ? null : expected.stamp());
        }
    }

    /** What is superseded has its effect at most once, and what is kept has it once. */
    private static void assertConsumed(
            Simulation simulation, Topics topics, Actors actors, TopicLaws laws, Map<String, Stored> latest) {
        for (String name : GROUPS) {
            ConsumerGroup<String> group = topics.group(Actors.TOPIC, name);
            assertThat(simulation.await(group.describe(simulation.database())).partitions())
                    .as(name)
                    .extracting(PartitionLag::lag, PartitionLag::parked)
                    .containsOnly(org.assertj.core.groups.Tuple.tuple(0L, 0));
        }
        Set<String> kept = latest.values().stream().map(Stored::value).collect(Collectors.toSet());
        Map<Tuple, Integer> effects;
        try (Transaction tx = simulation.database().createTransaction()) {
            effects = Objects.requireNonNull(TopicRows.of(tx)).effects();
        }
        List<String> givenUp = Actors.givenUp(simulation);
        assertThat(givenUp).doesNotHaveDuplicates();
        for (String value : laws.messages().keySet()) {
            int exact = effects.getOrDefault(Tuple.from(Actors.EXACT, value), 0);
            int parking =
                    effects.getOrDefault(Tuple.from(Actors.PARKING, value), 0) + (givenUp.contains(value) ? 1 : 0);
            assertThat(exact).as("effects of %s", value).isBetween(kept.contains(value) ? 1 : 0, 1);
            assertThat(parking).as("ends of %s", value).isBetween(kept.contains(value) ? 1 : 0, 1);
        }
        assertThat(actors.handled).as("handled outside").containsAll(kept);
    }
}
