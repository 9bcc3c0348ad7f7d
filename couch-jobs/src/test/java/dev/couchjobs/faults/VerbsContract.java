package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every verb succeeds and acts once, whichever of its steps goes wrong, and in whatever way. */
abstract class VerbsContract extends FaultsContract {
    private static final int STEPS_MAX = 100;
    /** Up to here a fault strikes at each step, on every engine. */
    private static final int EACH_STEP = 10;

    static Stream<Arguments> verbsAndFaults() {
        return Stream.of(CreationCases.all(), ProcessingCases.all(), DependencyCases.all(), OutcomeCases.all())
                .flatMap(List::stream)
                .flatMap(verbCase -> verbCase.faults().stream().map(fault -> Arguments.of(verbCase, fault)));
    }

    @ParameterizedTest(name = "{0} survives {1}")
    @MethodSource("verbsAndFaults")
    void everyVerbSurvivesEveryFaultAtEveryStep(VerbCase<?, ?> verbCase, StepFault fault) {
        int nth = 1;
        while (survives(verbCase, fault, nth)) {
            nth += nth < EACH_STEP ? 1 : stage.laterStepsAtOnce();
            assertThat(nth).as("steps").isLessThan(STEPS_MAX);
        }
        assertThat(nth).as("the first step that did not happen").isGreaterThan(1);
    }

    private boolean survives(VerbCase<?, ?> verbCase, StepFault fault, int nth) {
        try {
            return verbCase.survives(stage, fault, nth);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(verbCase + " with " + fault + " at step " + nth + ": " + e.getMessage(), e);
        }
    }
}
