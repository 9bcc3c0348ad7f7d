package dev.couchjobs.bridge.internal.document;

import java.time.Duration;
import java.util.Optional;

/**
 * One step.
 *
 * @param target where it is to run
 * @param action what is to be done
 * @param alternative what is to be done when that has failed as often as it may
 * @param retry how often the action is tried, and after which pauses
 * @param timeout how long one try may take; without, as long as it takes
 */
public record StepPlan(
        Target target,
        ActionPlan action,
        Optional<ActionPlan> alternative,
        RetryStrategy retry,
        Optional<Duration> timeout) {

    /** {@return the same step elsewhere} */
    StepPlan on(Target newTarget) {
        return new StepPlan(newTarget, action, alternative, retry, timeout);
    }

    /** {@return the first field that differs; empty if both ask for the same} */
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
