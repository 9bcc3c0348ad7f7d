package dev.couchjobs.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.EnumSet;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class RunStateTest {
    @Test
    void allowsTheseTransitionsAndNoOthers() {
        assertTransitions(RunState::started, Map.of(RunState.WAITING, RunState.RUNNING));
        assertTransitions(
                RunState::settled,
                Map.of(
                        RunState.WAITING, RunState.DONE,
                        RunState.RUNNING, RunState.ENDING,
                        RunState.ENDING, RunState.ENDING,
                        RunState.STUCK, RunState.STUCK,
                        RunState.DONE, RunState.DONE));
        assertTransitions(RunState::stuck, Map.of(RunState.ENDING, RunState.STUCK));
        assertTransitions(RunState::over, Map.of(RunState.ENDING, RunState.DONE, RunState.STUCK, RunState.DONE));
    }

    @Test
    void isSettledInEveryStateButTheTwoThatHoldAClaim() {
        EnumSet<RunState> settled = EnumSet.allOf(RunState.class);
        settled.removeIf(state -> !state.isSettled());
        assertThat(settled).containsExactlyInAnyOrder(RunState.ENDING, RunState.STUCK, RunState.DONE);
    }

    private static void assertTransitions(UnaryOperator<RunState> step, Map<RunState, RunState> legal) {
        for (RunState from : RunState.values()) {
            RunState next = legal.get(from);
            if (next == null) {
                assertThatIllegalStateException().as("from %s", from).isThrownBy(() -> step.apply(from));
            } else {
                assertThat(step.apply(from)).as("from %s", from).isEqualTo(next);
            }
        }
    }
}
