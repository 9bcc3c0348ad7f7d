package dev.couchjobs.bridge.internal.document;

import java.time.Duration;
import java.util.Optional;

/**
 * How an action that fails is tried again: the thesis's {@code retry_strategy}.
 *
 * @param maxRetries how often it is tried again, after the first time; 0 for never
 * @param sleep the pause before the first retry
 * @param sleepFactor by how much each pause is longer than the one before
 * @param sleepMax the longest pause, if there is one
 * @param maxTime for how long after the step's beginning a retry may still begin, if there is such a time
 */
public record RetryStrategy(
        int maxRetries, Duration sleep, double sleepFactor, Optional<Duration> sleepMax, Optional<Duration> maxTime) {

    /** {@return what holds for a step that says nothing: no retry} */
    public static RetryStrategy none() {
        return new RetryStrategy(0, Duration.ZERO, 1, Optional.empty(), Optional.empty());
    }
}
