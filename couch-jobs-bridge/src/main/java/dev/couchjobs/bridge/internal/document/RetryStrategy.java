package dev.couchjobs.bridge.internal.document;

import java.time.Duration;
import java.util.Optional;

/**
 * When a failed action is tried again: the thesis's {@code retry_strategy}.
 *
 * @param maxRetries the number of tries after the first; 0 for none
 * @param sleep the pause before the first retry
 * @param sleepFactor the quotient of two successive pauses, at least 1
 * @param sleepMax the longest pause, if it is limited
 * @param maxTime the time from the beginning of the step within which a retry may begin, if it is limited
 */
public record RetryStrategy(
        int maxRetries, Duration sleep, double sleepFactor, Optional<Duration> sleepMax, Optional<Duration> maxTime) {

    /** The limit of all times in a document, and of pauses without {@code sleep_max}. */
    static final Duration LONGEST = Duration.ofDays(366);

    /** {@return the strategy of a step without one: no retry} */
    public static RetryStrategy none() {
        return new RetryStrategy(0, Duration.ZERO, 1, Optional.empty(), Optional.empty());
    }

    /**
     * {@return the pause before the next try; empty if there is none}
     *
     * @param tries the number of failed tries, at least one
     * @param sinceBegin the time since the beginning of the step
     */
    public Optional<Duration> pauseAfter(int tries, Duration sinceBegin) {
        if (tries < 1) {
            throw new IllegalArgumentException("a retry follows at least one failed try");
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
        // The factor may be infinite, and zero times infinity is not a number.
        return nanos >= longest.toNanos() ? longest : Duration.ofNanos(Math.round(sleep.isZero() ? 0 : nanos));
    }
}
