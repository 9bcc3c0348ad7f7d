package dev.couchjobs.bridge.internal.couch;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Pauses that double. Each is shortened at random by up to a half, so that clients do not return at the same time. */
final class Backoff {
    private final Duration first;
    private final Duration longest;
    private final RandomGenerator random;
    private Duration next;
    private int faults;

    Backoff(Duration first, Duration longest, RandomGenerator random) {
        this.first = first;
        this.longest = longest;
        this.random = random;
        this.next = first;
    }

    /** {@return the pause after a fault} */
    synchronized Duration after(TransientException fault) {
        faults++;
        Duration whole = fault.pace() == TransientException.Pace.SLOW ? longest : next;
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(longest) < 0 ? doubled : longest;
        Duration pause = whole.minusNanos((long) (whole.toNanos() * (random.nextDouble() / 2)));
        return fault.retryAfter().filter(asked -> asked.compareTo(pause) > 0).orElse(pause);
    }

    synchronized void reset() {
        next = first;
        faults = 0;
    }

    /** {@return whether the last two attempts failed; a single fault is not reported} */
    synchronized boolean isRepeated() {
        return faults > 0;
    }
}
