package dev.couchjobs.bridge.simulation;

import dev.couchjobs.fdb.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The whole bridge from a seed, in both join modes, with all faults. {@link Seeds} describes how to run other seeds.
 */
@Tag("long")
class BridgeSimulationTest {
    private static final int FAILURES_TOLD = 3;

    private record Failure(long seed, String story) {}

    @Test
    void everyJobComesToItsEndInOrderAndNothingIsDoneTwice() {
        List<Failure> failures = Seeds.of(6, 90)
                .parallel()
                .mapToObj(BridgeSimulationTest::failureOf)
                .flatMap(Optional::stream)
                .toList();

        if (!failures.isEmpty()) {
            throw new AssertionError(report(failures));
        }
    }

    private static Optional<Failure> failureOf(long seed) {
        try (BridgeSimulation simulation = new BridgeSimulation(seed, null)) {
            try {
                simulation.run();
                return Optional.empty();
            } catch (RuntimeException | AssertionError e) {
                return Optional.of(new Failure(
                        seed, simulation.scenario() + "\n" + e + "\nWhat happened last:\n" + simulation.tail()));
            }
        }
    }

    private static String report(List<Failure> failures) {
        StringBuilder report = new StringBuilder(failures.size() + " seeds fail: "
                + failures.stream().map(Failure::seed).toList());
        for (Failure failure : failures.subList(0, Math.min(FAILURES_TOLD, failures.size()))) {
            report.append("\n\nSeed ").append(failure.seed()).append(": ").append(failure.story());
            report.append("\nReplay it: ./mvnw verify -pl couch-jobs-bridge -am -Dtest=BridgeSimulationTest")
                    .append(" -Dsurefire.failIfNoSpecifiedTests=false -Dsimulation.seed=")
                    .append(failure.seed());
        }
        return report.toString();
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Seeds.assertDetermine(BridgeSimulationTest::traceOf, Seeds.isLongRun() ? 10 : 3);
    }

    private static String traceOf(long seed) {
        List<String> lines = new ArrayList<>();
        try (BridgeSimulation simulation = new BridgeSimulation(seed, lines::add)) {
            simulation.run();
            lines.add(simulation.digest());
        }
        return String.join("\n", lines);
    }
}
