package dev.couchjobs.internal.instance;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The clock of this process while it agrees with most others; otherwise that clock, corrected by their median. It
 * computes the times that are stored for later, such as the time of the next attempt or of the removal of a job, so a
 * single wrong clock neither delays a job nor removes it too early. Safe for use by several threads.
 */
public final class AgreedClock implements InstantSource {
    private final InstantSource own;
    private volatile Duration ahead = Duration.ZERO;

    public AgreedClock(InstantSource own) {
        this.own = own;
    }

    /**
     * Sets the correction of the clock.
     *
     * @param ahead how far the clock of this process is ahead of most others; zero if it agrees with them
     */
    public void correct(Duration ahead) {
        this.ahead = ahead;
    }

    @Override
    public Instant instant() {
        return own.instant().minus(ahead);
    }
}
