package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CostCheckTest {
    private static final AcceptedCosts ACCEPTED = AcceptedCosts.of(costs(1_000, 0.5));

    @Test
    void aFigureWithinItsToleranceIsAccepted() {
        assertThat(CostCheck.of(costs(1_030, 0.51), ACCEPTED)).isEqualTo(new CostCheck(List.of(), List.of()));
        assertThat(CostCheck.of(costs(970, 0.49), ACCEPTED)).isEqualTo(new CostCheck(List.of(), List.of()));
    }

    @Test
    void aHigherFigureFailsWithBothFiguresAndTheTolerance() {
        assertThat(CostCheck.of(costs(1_031, 0.511), ACCEPTED).failures())
                .containsExactly(
                        "in memory, adding one by one: allocated: found 1,031 bytes a job,"
                                + " accepted 1,000 bytes, tolerance 3 %",
                        "in memory, adding one by one: transactions: found 0.5110 a job, accepted 0.5000, tolerance 2 %");
    }

    @Test
    void aLowerFigureIsAGain() {
        CostCheck check = CostCheck.of(costs(969, 0.5), ACCEPTED);
        assertThat(check.failures()).isEmpty();
        assertThat(check.gains())
                .containsExactly("in memory, adding one by one: allocated: found 969 bytes a job,"
                        + " accepted 1,000 bytes, tolerance 3 %");
    }

    @Test
    void aFigureOfOneSideOnlyFails() {
        AcceptedCosts nothing = new AcceptedCosts(17, Map.of());
        assertThat(CostCheck.of(costs(1, 1), nothing).failures())
                .containsExactly(
                        "in memory, adding one by one: allocated is measured but not accepted",
                        "in memory, adding one by one: transactions is measured but not accepted");
        List<StepCosts> none = List.of(new StepCosts(EngineKind.MEMORY, CostStep.ADDING_ONE_BY_ONE, Map.of()));
        assertThat(CostCheck.of(none, ACCEPTED).failures())
                .containsExactly(
                        "in memory, adding one by one: allocated is accepted but not measured",
                        "in memory, adding one by one: transactions is accepted but not measured");
    }

    @Test
    void cpuTimeIsNotChecked() {
        assertThat(ACCEPTED.costs()).containsOnlyKeys("in memory, adding one by one");
        assertThat(ACCEPTED.costs().get("in memory, adding one by one")).containsOnlyKeys("allocated", "transactions");
    }

    @Test
    void theFileKeepsTheAcceptedCosts(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("costs.json");
        ACCEPTED.write(file);
        assertThat(AcceptedCosts.read(file)).isEqualTo(ACCEPTED);
    }

    private static List<StepCosts> costs(double allocated, double transactions) {
        return List.of(new StepCosts(
                EngineKind.MEMORY,
                CostStep.ADDING_ONE_BY_ONE,
                Map.of(
                        CostFigure.CPU_TIME,
                        17.0,
                        CostFigure.ALLOCATED,
                        allocated,
                        CostFigure.TRANSACTIONS,
                        transactions)));
    }
}
