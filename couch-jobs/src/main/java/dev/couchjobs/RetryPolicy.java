package dev.couchjobs;

import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * How often a job that fails is tried, and how long the pauses between its attempts are. Immutable.
 *
 * <p>The pause before attempt <i>n</i> + 1 is {@code initialDelay * factor^(n - 1)}, at most {@code maxDelay}, and of
 * that a random part, up to {@code jitter}, is taken off, so that jobs that failed together do not come back together.
 * Pauses are stored in whole seconds, rounded up.
 *
 * @param maxAttempts how often a job is tried in all, at least once. An attempt whose process died counts too, so that
 *     a job that kills its process does not do so forever
 * @param initialDelay the pause after the first failure, from zero to 365 days
 * @param factor by how much each pause is longer than the one before, at least 1
 * @param maxDelay the longest pause, from zero to 365 days; also for the first, if that is longer
 * @param jitter the part of a pause that is left to chance, from 0 to 1
 */
public record RetryPolicy(int maxAttempts, Duration initialDelay, double factor, Duration maxDelay, double jitter) {
    private static final Duration LONGEST = Duration.ofDays(365);
    private static final RetryPolicy STANDARD =
            new RetryPolicy(10, Duration.ofSeconds(1), 3.0, Duration.ofHours(1), 0.2);

    /**
     * Checks the limits.
     *
     * @param maxAttempts see above
     * @param initialDelay see above
     * @param factor see above
     * @param maxDelay see above
     * @param jitter see above
     * @throws IllegalArgumentException if one of them is out of its limits
     */
    public RetryPolicy {
        require(maxAttempts >= 1, "attempts is at least 1, for the first attempt", maxAttempts);
        Durations.between("firstPause", initialDelay, Duration.ZERO, LONGEST);
        require(factor >= 1 && Double.isFinite(factor), "factor is at least 1", factor);
        Durations.between("longestPause", maxDelay, Duration.ZERO, LONGEST);
        require(jitter >= 0 && jitter <= 1, "jitter is from 0 to 1", jitter);
    }

    private static void require(boolean held, String rule, Object given) {
        if (!held) {
            throw new IllegalArgumentException("In a retry policy, " + rule + "; this is " + given + ".");
        }
    }

    /**
     * What job types have if they do not say otherwise: ten attempts, with pauses from a second to an hour, each three
     * times the one before.
     *
     * @return the policy
     */
    public static RetryPolicy standard() {
        return STANDARD;
    }

    /** {@return a policy with one attempt} */
    public static RetryPolicy never() {
        return STANDARD.attempts(1);
    }

    /**
     * This policy with another number of attempts.
     *
     * @param maxAttempts how often a job is tried in all, at least once
     * @return the policy
     */
    public RetryPolicy attempts(int maxAttempts) {
        return new RetryPolicy(maxAttempts, initialDelay, factor, maxDelay, jitter);
    }

    /**
     * This policy with other pauses.
     *
     * @param first the pause after the first failure
     * @param factor by how much each pause is longer than the one before
     * @param longest the longest pause
     * @return the policy
     */
    public RetryPolicy backoff(Duration first, double factor, Duration longest) {
        return new RetryPolicy(maxAttempts, first, factor, longest, jitter);
    }

    /**
     * This policy with another jitter.
     *
     * @param jitter the part of a pause that is left to chance, from 0 to 1
     * @return the policy
     */
    public RetryPolicy jitter(double jitter) {
        return new RetryPolicy(maxAttempts, initialDelay, factor, maxDelay, jitter);
    }

    /**
     * The pause before the next attempt.
     *
     * @param failures how many attempts have failed so far, at least one
     * @param random draws the jitter
     * @return the pause, or empty if there is no attempt left
     */
    public Optional<Duration> delayAfter(int failures, RandomGenerator random) {
        if (failures >= maxAttempts) {
            return Optional.empty();
        }
        double full = Math.min(
                (double) maxDelay.toMillis(), initialDelay.toMillis() * Math.pow(factor, Math.max(0, failures - 1)));
        return Optional.of(Duration.ofMillis(Math.round(full * (1 - jitter * random.nextDouble()))));
    }
}
