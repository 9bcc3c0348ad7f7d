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
        assertTransitions(RunState::handlerStarted, Map.of(RunState.WAITING, RunState.RUNNING));
        assertTransitions(
                RunState::decided,
                Map.of(
                        RunState.WAITING, RunState.INACTIVE,
                        RunState.RUNNING, RunState.DECIDED,
                        RunState.DECIDED, RunState.DECIDED,
                        RunState.STUCK, RunState.STUCK,
                        RunState.INACTIVE, RunState.INACTIVE));
        assertTransitions(RunState::stuck, Map.of(RunState.DECIDED, RunState.STUCK));
        assertTransitions(
                RunState::handlerReturned,
                Map.of(RunState.DECIDED, RunState.INACTIVE, RunState.STUCK, RunState.INACTIVE));
    }

    @Test
    void isDecidedInEveryStateButTheTwoThatHoldAClaim() {
        EnumSet<RunState> decided = EnumSet.allOf(RunState.class);
        decided.removeIf(state -> !state.isDecided());
        assertThat(decided).containsExactlyInAnyOrder(RunState.DECIDED, RunState.STUCK, RunState.INACTIVE);
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
