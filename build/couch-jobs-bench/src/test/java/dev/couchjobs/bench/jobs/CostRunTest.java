package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CostRunTest {
    private static final CostRun.Lengths SHORT = new CostRun.Lengths(1, 1, 10, 200);

    @TempDir
    Path directory;

    @Test
    void twoRunsCountTheSame() throws IOException {
        assertThat(counts()).isEqualTo(counts());
    }

    private List<String> counts() throws IOException {
        return new CostRun(SHORT, directory)
                .measure().stream()
                        .map(step -> step.name() + ": "
                                + step.figures().entrySet().stream()
                                        .filter(figure -> isCount(figure.getKey()))
                                        .map(Object::toString)
                                        .collect(Collectors.joining(", ")))
                        .toList();
    }

    private static boolean isCount(CostFigure figure) {
        return !Set.of(CostFigure.CPU_TIME, CostFigure.ALLOCATED).contains(figure);
    }

    @Test
    void aJobThatIsAddedAloneTakesATransactionAndASync() throws IOException {
        List<StepCosts> costs = new CostRun(SHORT, directory).measure();
        assertThat(costs).hasSize(EngineKind.values().length * CostStep.values().length);
        assertThat(costs)
                .filteredOn(step -> step.step() == CostStep.ADDING_ONE_BY_ONE)
                .allSatisfy(step -> assertThat(step.figures()).containsEntry(CostFigure.TRANSACTIONS, 1.0));
        assertThat(costs)
                .filteredOn(step -> step.engine() == EngineKind.DIRECTORY && step.step() == CostStep.ADDING_ONE_BY_ONE)
                .singleElement()
                .satisfies(step -> assertThat(step.figures()).containsEntry(CostFigure.SYNCS, 1.0));
        assertThat(costs).allSatisfy(step -> {
            assertThat(step.figures().get(CostFigure.ALLOCATED)).isPositive();
            assertThat(step.figures().containsKey(CostFigure.LOGGED)).isEqualTo(step.engine() == EngineKind.DIRECTORY);
        });
    }
}
