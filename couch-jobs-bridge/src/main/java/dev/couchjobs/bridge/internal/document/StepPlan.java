package dev.couchjobs.bridge.internal.document;

import java.time.Duration;
import java.util.Optional;

/**
 * The plan of one step.
 *
 * @param target the nodes on which it may run
 * @param action the action
 * @param alternative the action after the last failed try, if any
 * @param retry when the action is tried again
 * @param timeout the time limit of one try; empty for none
 */
public record StepPlan(
        Target target,
        ActionPlan action,
        Optional<ActionPlan> alternative,
        RetryStrategy retry,
        Optional<Duration> timeout) {

    /** {@return the same step with another target} */
    StepPlan on(Target newTarget) {
        return new StepPlan(newTarget, action, alternative, retry, timeout);
    }

    /** {@return the first field that differs; empty if the plans are equal} */
    Optional<String> differenceFrom(StepPlan other) {
        if (!target.written().equals(other.target.written())) {
            return Optional.of("target");
        }
        if (!action.equals(other.action)) {
            return Optional.of("do");
        }
        if (!alternative.equals(other.alternative)) {
            return Optional.of("alt_do");
        }
        if (!retry.equals(other.retry)) {
            return Optional.of("retry_strategy");
        }
        return timeout.equals(other.timeout) ? Optional.empty() : Optional.of("timeout");
    }
}
