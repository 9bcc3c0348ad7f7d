package dev.couchjobs.simulation;

import dev.couchjobs.fdb.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The whole stack from a seed, with faults switched on. {@link Seeds} says how to run others.
 */
@Tag("long")
class JobsSimulationTest {
    private static final int FAILURES_TOLD = 3;

    private record Failure(long seed, String story) {}

    @Test
    void noJobIsLostAndNoneIsRunByTwoWhoseWritesBothCommit() {
        List<Failure> failures = Seeds.of(8, 82)
                .parallel()
                .mapToObj(JobsSimulationTest::failureOf)
                .flatMap(Optional::stream)
                .toList();

        if (!failures.isEmpty()) {
            throw new AssertionError(report(failures));
        }
    }

    private static Optional<Failure> failureOf(long seed) {
        try (JobsSimulation simulation = new JobsSimulation(seed, null)) {
            try {
                simulation.run();
                return Optional.empty();
            } catch (RuntimeException | AssertionError e) {
                return Optional.of(new Failure(seed, e + "\nWhat happened last:\n" + simulation.tail()));
            }
        }
    }

    private static String report(List<Failure> failures) {
        StringBuilder report = new StringBuilder(failures.size() + " seeds fail: "
                + failures.stream().map(Failure::seed).toList());
        for (Failure failure : failures.subList(0, Math.min(FAILURES_TOLD, failures.size()))) {
            report.append("\n\nSeed ").append(failure.seed()).append(": ").append(failure.story());
            report.append("\nReplay it: ./mvnw verify -pl couch-jobs -am -Dtest=JobsSimulationTest -Dsimulation.seed=")
                    .append(failure.seed())
                    .append(" -Dsurefire.failIfNoSpecifiedTests=false");
        }
        return report.toString();
    }

    @Test
    void theSameSeedGivesTheSameTraceToTheLastLine() {
        Seeds.assertDetermine(JobsSimulationTest::traceOf, Seeds.isLongRun() ? 10 : 2);
    }

    private static String traceOf(long seed) {
        List<String> lines = new ArrayList<>();
        try (JobsSimulation simulation = new JobsSimulation(seed, lines::add)) {
            simulation.run();
            lines.add(simulation.digest());
        }
        return String.join("\n", lines);
    }
}
