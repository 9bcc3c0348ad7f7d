package dev.couchjobs.topics.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A topic while everything goes wrong. After every commit its rows obey the {@link TopicLaws}. In the end no message is
 * lost, each has had its effect once, and the consumers that live share the partitions.
 */
@Tag("long")
class TopicsUnderFaultsTest {
    private static final Duration CHAOS = Duration.ofSeconds(30);
    /** A pause of a process that has begun takes up to ten seconds, as does a late watch. */
    private static final Duration FAULTS_END = Duration.ofSeconds(10);
    /** A lease begins when a round has seen the last heartbeat; rounds are a third of it apart. */
    private static final Duration SHARED_WITHIN =
            Actors.LEASE.multipliedBy(5).dividedBy(3).plusSeconds(1);
    /** Two consumers join, and one after the other is given what it is due. */
    private static final Duration JOINED_WITHIN = Duration.ofSeconds(5);

    private static final Duration QUIET = Duration.ofSeconds(20);
    /** A handler begins within 300 ms, takes up to 100 ms, and has few messages before it. */
    private static final Duration PROMPT = Duration.ofSeconds(3);

    private static final Duration CALM = Duration.ofSeconds(30);

    static LongStream seeds() {
        return Seeds.of(3, 300);
    }

    /**
     * To replay one: {@code ./mvnw verify -pl couch-jobs-topics -am -Dtest=TopicsUnderFaultsTest -Dsimulation.seed=N}.
     */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void messagesAreConsumedOnce(long seed) {
        try (Simulation simulation = Simulation.builder(seed)
                .latency(Duration.ofMillis(2), Duration.ofMillis(5))
                .build()) {
            TopicLaws laws = new TopicLaws(simulation, Actors.PARTITIONS, Duration.ofDays(1));
            Actors actors = new Actors(simulation, laws);
            Topics topics = Actors.topics(simulation.process("first"));
            simulation.await(
                    topics.create(simulation.database(), Actors.TOPIC, TopicSettings.partitions(Actors.PARTITIONS)));
            simulation.await(topics.create(simulation.database(), Actors.GIVEN_UP, TopicSettings.partitions(1)));
            simulation.onDeath(actors::replace);
            List.of(Actors.EXACT, Actors.EXACT, Actors.EXACT, Actors.SOUGHT, Actors.SOUGHT)
                    .forEach(actors::consume);
            List.of(Actors.OUTSIDE, Actors.OUTSIDE, Actors.PARKING, Actors.PARKING)
                    .forEach(actors::consume);
            actors.produce();
            actors.produce();
            actors.operate();
            actors.operate();
            simulation.advance(CHAOS);

            actors.calmDown();
            simulation.calm();
            simulation.advance(FAULTS_END);
            simulation.advance(SHARED_WITHIN);
            laws.check();
            assertShared(laws);

            actors.watchHandovers();
            List.of(Actors.EXACT, Actors.OUTSIDE).forEach(actors::consume);
            simulation.advance(JOINED_WITHIN);
            assertShared(laws);
            simulation.await(actors.stopOne(Actors.EXACT));
            simulation.await(actors.stopOne(Actors.OUTSIDE));
            simulation.advance(JOINED_WITHIN);
            assertShared(laws);

            laws.measurePromptness(Set.of(Actors.EXACT, Actors.SOUGHT, Actors.OUTSIDE));
            simulation.advance(QUIET);
            assertThat(laws.slowest()).isLessThan(PROMPT);
            actors.end();
            simulation.advance(CALM);

            laws.check();
            assertNothingIsLost(actors, laws.messages());
            assertConsumed(simulation, topics, laws);
            assertEffects(simulation, actors, laws.messages().keySet());
        }
    }

    /** Each partition has one holder that lives, and no member holds two more than another. */
    private static void assertShared(TopicLaws laws) {
        for (String group : List.of(Actors.EXACT, Actors.SOUGHT, Actors.OUTSIDE, Actors.PARKING)) {
            Map<String, Integer> held = new HashMap<>();
            laws.claims().forEach((key, row) -> {
                if (key.getString(0).equals(group)) {
                    held.merge(String.valueOf(row.holder()), 1, Integer::sum);
                }
            });
            Set<String> members = laws.members(group);
            int most = (Actors.PARTITIONS + members.size() - 1) / members.size();
            int least = Actors.PARTITIONS / members.size();
            assertThat(held.keySet()).as("holders of %s", group).isSubsetOf(members);
            assertThat(held.values()).as("partitions of %s", held).allMatch(count -> count >= least && count <= most);
            assertThat(held.values().stream().mapToInt(count -> count).sum()).isEqualTo(Actors.PARTITIONS);
        }
    }

    private static void assertNothingIsLost(Actors actors, Map<String, Versionstamp> messages) {
        assertThat(actors.attempted).containsAll(messages.keySet());
        actors.acknowledged.forEach((value, appended) ->
                assertThat(appended.offset().join().versionstamp()).as(value).isEqualTo(messages.get(value)));
    }

    private static void assertConsumed(Simulation simulation, Topics topics, TopicLaws laws) {
        for (String name : List.of(Actors.EXACT, Actors.SOUGHT, Actors.OUTSIDE, Actors.PARKING)) {
            ConsumerGroup<String> group = topics.group(Actors.TOPIC, name);
            assertThat(simulation.await(group.describe(simulation.database())).partitions())
                    .as(name)
                    .allMatch(partition -> partition.parked() == 0);
            assertThat(simulation.await(group.describe(simulation.database())).lag())
                    .as(name)
                    .isZero();
        }
        laws.claims().forEach((key, row) -> {
            if (!key.getString(0).equals(Actors.POLLED)) {
                assertThat(row.number()).as("number of %s", key).isEqualTo(laws.count((int) key.getLong(1)));
            }
        });
    }

    private static void assertEffects(Simulation simulation, Actors actors, Set<String> values) {
        assertThat(actors.handled).as("handled outside").containsAll(values);
        Set<String> rest = pollRest(simulation);
        Map<Tuple, Integer> effects;
        try (Transaction tx = simulation.database().createTransaction()) {
            effects = Objects.requireNonNull(TopicRows.of(tx)).effects();
        }
        List<String> givenUp = Actors.givenUp(simulation);
        Set<String> polled = new HashSet<>(actors.polled);
        assertThat(polled).as("polled once").hasSameSizeAs(actors.polled);
        List<String> unaccounted = new ArrayList<>();
        for (String value : values) {
            assertThat(effects.get(Tuple.from(Actors.EXACT, value))).as(value).isEqualTo(1);
            assertThat(effects.getOrDefault(Tuple.from(Actors.PARKING, value), 0)
                            + Collections.frequency(givenUp, value))
                    .as("ends of %s", value)
                    .isEqualTo(1);
            int times = effects.getOrDefault(Tuple.from(Actors.POLLED, value), 0)
                    + (polled.contains(value) ? 1 : 0)
                    + (rest.contains(value) ? 1 : 0);
            assertThat(times).as("polls of %s", value).isLessThanOrEqualTo(1);
            if (times == 0) {
                unaccounted.add(value);
            }
        }
        assertThat(unaccounted).as("lost by polls").hasSizeLessThanOrEqualTo(actors.lostPolls * Actors.POLL_MAX);
    }

    private static Set<String> pollRest(Simulation simulation) {
        ConsumerGroup<String> group = Actors.topics(simulation.process("last")).group(Actors.TOPIC, Actors.POLLED);
        Set<String> rest = new HashSet<>();
        while (true) {
            List<Message<String>> messages = simulation.await(group.poll(simulation.database(), 7));
            if (messages.isEmpty()) {
                return rest;
            }
            messages.forEach(message -> assertThat(rest.add(message.value())).isTrue());
        }
    }
}
