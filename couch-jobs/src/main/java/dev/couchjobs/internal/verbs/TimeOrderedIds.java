package dev.couchjobs.internal.verbs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.InstantSource;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Makes ids that sort in the order in which they were made: UUIDs of version 7 (RFC 9562, section 5.7).
 *
 * <p>Each is greater than the one before it, also while the clock stands still or goes back: then the time stays where
 * it was, and the 74 random bits are taken as a counter that goes on by a random step (RFC 9562, section 6.2, method
 * 2). Two processes need not know of each other; their ids are in order as far as their clocks agree.
 */
final class TimeOrderedIds {
    private static final long MILLIS_MAX = (1L << 48) - 1;
    private static final int HIGH_MAX = (1 << 12) - 1;
    private static final long LOW_MAX = (1L << 62) - 1;
    private static final long VERSION = 7L << 12;
    private static final long VARIANT = 0b10L << 62;
    /** What a step may come to: hard to guess, and 2^30 steps at least until the lower part overflows. */
    private static final long STEP_MAX = 1L << 32;

    private final InstantSource clock;
    private final RandomGenerator random;

    @GuardedBy("this") private long millis = -1;

    @GuardedBy("this") private int high;

    @GuardedBy("this") private long low;

    TimeOrderedIds(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    synchronized String next() {
        long now = Math.min(clock.millis(), MILLIS_MAX);
        if (now > millis) {
            restart(now);
        } else {
            step();
        }
        return new UUID(millis << 16 | VERSION | high, VARIANT | low).toString();
    }

    /** The topmost bit stays clear, so that there is room to count on. */
    @GuardedBy("this") private void restart(long now) {
        millis = now;
        high = random.nextInt(HIGH_MAX / 2 + 1);
        low = random.nextLong() & LOW_MAX;
    }

    @GuardedBy("this") private void step() {
        low += 1 + random.nextLong(STEP_MAX);
        if (low > LOW_MAX) {
            low &= LOW_MAX;
            high++;
        }
        if (high > HIGH_MAX) {
            restart(millis + 1);
        }
    }
}
