package dev.couchjobs.topics.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import dev.couchjobs.topics.TopicSettings;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A topic with a retention while everything goes wrong but the versions of the store, which pass evenly: no message is
 * removed that is young, whatever the clocks of the processes say, and all old ones are in the end.
 */
@Tag("long")
class TopicRetentionUnderFaultsTest {
    private static final Duration MAX_AGE = Duration.ofMinutes(2);
    /** The library allows for versions that pass slower than they should. */
    private static final Duration YOUNGEST_REMOVED = MAX_AGE.multipliedBy(9).dividedBy(10);

    private static final Duration CHAOS = Duration.ofMinutes(4);
    /** A sweep leaves the last mark, and a later one removes up to it: each comes within a minute. */
    private static final Duration REMOVED_WITHIN = MAX_AGE.plusMinutes(3);

    static LongStream seeds() {
        return Seeds.of(2, 100);
    }

    /**
     * To replay one: {@code ./mvnw verify -pl couch-jobs-topics -am -Dtest=TopicRetentionUnderFaultsTest
     * -Dsimulation.seed=N}.
     */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void oldMessagesAreRemovedAndYoungOnesAreNot(long seed) {
        try (Simulation simulation =
                Simulation.builder(seed).without(Fault.STORE_LOSS).build()) {
            TopicLaws laws = new TopicLaws(simulation, Actors.PARTITIONS, YOUNGEST_REMOVED);
            Actors actors = new Actors(simulation, laws);
            simulation.await(Actors.topics(simulation.process("first"))
                    .create(
                            simulation.database(),
                            Actors.TOPIC,
                            TopicSettings.partitions(Actors.PARTITIONS).maxAge(MAX_AGE)));
            simulation.onDeath(actors::replace);
            List.of(Actors.EXACT, Actors.SOUGHT).forEach(actors::consume);
            actors.produce();
            actors.produce();
            actors.operate();
            simulation.advance(CHAOS);

            actors.calmDown();
            actors.end();
            simulation.calm();
            simulation.advance(REMOVED_WITHIN);

            laws.check();
            for (int partition = 0; partition < Actors.PARTITIONS; partition++) {
                assertThat(laws.removed(partition))
                        .as("partition %s", partition)
                        .isEqualTo(laws.count(partition));
            }
        }
    }
}
