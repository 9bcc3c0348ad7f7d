package dev.couchjobs.bench.soak;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The system's clock, moved. Safe for use by several threads. */
final class MovableClock implements InstantSource {
    private volatile Duration ahead = Duration.ZERO;

    void move(Duration newAhead) {
        ahead = newAhead;
    }

    @Override
    public Instant instant() {
        return InstantSource.system().instant().plus(ahead);
    }
}
