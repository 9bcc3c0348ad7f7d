package dev.couchjobs.contract;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A wall clock that stands still until it is set. */
final class SettableClock implements InstantSource {
    private volatile Instant now;

    SettableClock(Instant start) {
        now = start;
    }

    @Override
    public Instant instant() {
        return now;
    }

    synchronized void advance(Duration by) {
        now = now.plus(by);
    }
}
