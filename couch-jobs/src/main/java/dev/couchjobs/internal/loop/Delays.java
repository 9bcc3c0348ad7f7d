package dev.couchjobs.internal.loop;

import java.time.Duration;

/** Durations as timers take them. */
public final class Delays {
    /** A century and a half: long enough to be for ever, short enough to be added to any timer's clock. */
    private static final Duration FOR_EVER = Duration.ofDays(50_000);

    private Delays() {}

    /** {@return the duration in nanoseconds, cut off where a timer could not count it} */
    public static long nanos(Duration duration) {
        return duration.compareTo(FOR_EVER) < 0 ? duration.toNanos() : FOR_EVER.toNanos();
    }
}
