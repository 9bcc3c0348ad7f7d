package dev.couchjobs.internal.instance;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The clock of this process while it agrees with most others; otherwise that clock, corrected by their median. It
 * computes the times that are stored for later, such as the time of the next attempt or of the removal of a job, so a
 * single wrong clock neither delays a job nor removes it too early. A correction ends when the clock is set right. Safe
 * for use by several threads.
 */
public final class AgreedClock implements InstantSource {
    /** The longest time between two comparisons, by a clock that is not set meanwhile. */
    private static final Duration COMPARED_AFTER_MAX = Duration.ofMinutes(15);

    private final InstantSource own;
    private volatile Correction correction = new Correction(Instant.EPOCH, Duration.ZERO);

    public AgreedClock(InstantSource own) {
        this.own = own;
    }

    /**
     * The result of a comparison.
     *
     * @param at its time by the clock of this process
     * @param ahead how far that clock was ahead of most others; zero if it agreed with them
     */
    private record Correction(Instant at, Duration ahead) {
        /** {@return the agreed time} A clock that has been set by about what it was wrong is right. */
        Instant of(Instant now) {
            return ahead.isZero() || wasSetRight(Duration.between(at, now)) ? now : now.minus(ahead);
        }

        private boolean wasSetRight(Duration passed) {
            Duration half = ahead.abs().dividedBy(2);
            return ahead.isNegative()
                    ? passed.compareTo(half) > 0 && passed.compareTo(COMPARED_AFTER_MAX) > 0
                    : passed.compareTo(half.negated()) < 0;
        }
    }

    /**
     * Sets the correction of the clock.
     *
     * @param at the time of the comparison by the clock of this process
     * @param ahead how far that clock is ahead of most others; zero if it agrees with them
     */
    public void correct(Instant at, Duration ahead) {
        correction = new Correction(at, ahead);
    }

    @Override
    public Instant instant() {
        return correction.of(own.instant());
    }
}
