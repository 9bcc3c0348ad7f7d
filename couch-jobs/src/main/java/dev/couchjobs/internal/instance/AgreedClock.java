package dev.couchjobs.internal.instance;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The clock of this process as long as it agrees with most others, and otherwise the time by the others. What is stored
 * for later, such as when a job is to be tried again or removed, is computed by it: one wrong clock must not hold a job
 * back, or have it removed too early. Safe for use by several threads.
 */
public final class AgreedClock implements InstantSource {
    private final InstantSource own;
    private volatile Duration ahead = Duration.ZERO;

    public AgreedClock(InstantSource own) {
        this.own = own;
    }

    /**
     * Sets by how much to correct the clock.
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
