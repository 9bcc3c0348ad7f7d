package dev.couchjobs.bridge.internal.claims;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A time that is counted and not read: one more with each of a node's looks at what it waits for, which are at least
 * some time apart. It may go too slowly and never goes too fast, whatever happens to clocks. Thread-safe.
 */
final class TickCounter {
    private final Duration apart;
    private final AtomicLong now = new AtomicLong();

    TickCounter(Duration apart) {
        this.apart = apart;
    }

    /** {@return the least time between two} */
    Duration apart() {
        return apart;
    }

    long now() {
        return now.get();
    }

    /** A look that began at some time is over. To be told of it twice changes nothing. */
    void over(long time) {
        now.accumulateAndGet(time + 1, Math::max);
    }
}
