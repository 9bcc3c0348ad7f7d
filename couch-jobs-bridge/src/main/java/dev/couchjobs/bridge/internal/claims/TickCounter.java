package dev.couchjobs.bridge.internal.claims;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock of ticks. Each timeout check of a node is a tick, and checks are at least {@code apart} apart; so ticks may
 * be too slow and never too fast, whatever system clocks do. Thread-safe.
 */
final class TickCounter {
    private final Duration apart;
    private final AtomicLong now = new AtomicLong();

    TickCounter(Duration apart) {
        this.apart = apart;
    }

    /** {@return the least time between two ticks} */
    Duration apart() {
        return apart;
    }

    long now() {
        return now.get();
    }

    /** Counts the check that began at the given tick. Counting it twice has no further effect. */
    void over(long time) {
        now.accumulateAndGet(time + 1, Math::max);
    }
}
