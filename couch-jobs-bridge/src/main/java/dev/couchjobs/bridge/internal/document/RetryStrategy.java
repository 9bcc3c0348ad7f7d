package dev.couchjobs.bridge.internal.document;

import java.time.Duration;
import java.util.Optional;

/**
 * How an action that fails is tried again: the thesis's {@code retry_strategy}.
 *
 * @param maxRetries how often it is tried again, after the first time; 0 for never
 * @param sleep the pause before the first retry
 * @param sleepFactor by what each pause is multiplied for the next; at least 1, which leaves it as it is
 * @param sleepMax the longest pause, if there is one
 * @param maxTime for how long after the step's beginning a retry may still begin, if there is such a time
 */
public record RetryStrategy(
        int maxRetries, Duration sleep, double sleepFactor, Optional<Duration> sleepMax, Optional<Duration> maxTime) {

    /** No time in a document is longer; without {@code sleep_max} no pause grows beyond it. */
    static final Duration LONGEST = Duration.ofDays(366);

    /** {@return what holds for a step that says nothing: no retry} */
    public static RetryStrategy none() {
        return new RetryStrategy(0, Duration.ZERO, 1, Optional.empty(), Optional.empty());
    }

    /**
     * {@return how long to wait before the action is tried again; empty if it is not to be}
     *
     * @param tries how often it has failed so far, at least once
     * @param sinceBegin how long ago the step began
     */
    public Optional<Duration> pauseAfter(int tries, Duration sinceBegin) {
        if (tries < 1) {
            throw new IllegalArgumentException("what has not failed is not tried again");
        }
        if (tries > maxRetries) {
            return Optional.empty();
        }
        Duration pause = pauseBefore(tries);
        return maxTime.isPresent() && sinceBegin.plus(pause).compareTo(maxTime.get()) > 0
                ? Optional.empty()
                : Optional.of(pause);
    }

    private Duration pauseBefore(int retry) {
        Duration longest = sleepMax.orElse(LONGEST);
        double nanos = sleep.toNanos() * Math.pow(sleepFactor, retry - 1);
        // Nothing times a factor that has grown beyond all numbers is no number.
        return nanos >= longest.toNanos() ? longest : Duration.ofNanos(Math.round(sleep.isZero() ? 0 : nanos));
    }
}
