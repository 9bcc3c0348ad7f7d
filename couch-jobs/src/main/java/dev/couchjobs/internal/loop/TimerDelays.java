package dev.couchjobs.internal.loop;

import dev.couchjobs.Environment;
import java.time.Duration;

/** Durations in the units of timers, with jitter. */
public final class TimerDelays {
    /** A century and a half: effectively unlimited, and no overflow when a timer adds it to its clock. */
    private static final Duration FOR_EVER = Duration.ofDays(50_000);

    private TimerDelays() {}

    /** {@return the duration in nanoseconds, limited to what a timer can count} */
    public static long nanos(Duration duration) {
        return duration.compareTo(FOR_EVER) < 0 ? duration.toNanos() : FOR_EVER.toNanos();
    }

    /** {@return a duration that is longer by a random part of up to some percent} */
    public static Duration jittered(Environment environment, Duration duration, int percentMax) {
        int percent = 100 + environment.random().nextInt(percentMax + 1);
        return duration.multipliedBy(percent).dividedBy(100);
    }
}
