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
        Optional<Duration> timeout) {}
