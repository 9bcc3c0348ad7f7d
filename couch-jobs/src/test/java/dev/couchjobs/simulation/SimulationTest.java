package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The whole stack from a seed, with faults switched on. {@code -Dsimulation.seeds=1000} runs more seeds, and
 * {@code -Dsimulation.seed=42} just that one.
 */
class SimulationTest {
    private static final long SEEDS = 30;

    static LongStream seeds() {
        Long one = Long.getLong("simulation.seed");
        return one == null ? LongStream.range(0, Long.getLong("simulation.seeds", SEEDS)) : LongStream.of(one);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void noJobIsLostAndNoneIsRunByTwoWhoseWritesBothCommit(long seed) {
        run(seed);
    }

    @Test
    void theSameSeedGivesTheSameTrace() {
        assertThat(run(3)).isEqualTo(run(3)).isNotEqualTo(run(4));
    }

    private static String run(long seed) {
        Simulation simulation = new Simulation(seed);
        try {
            simulation.run();
            return simulation.digest();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "Seed " + seed + ": " + e.getMessage() + "\nWhat happened last:\n" + simulation.tail(), e);
        }
    }
}
