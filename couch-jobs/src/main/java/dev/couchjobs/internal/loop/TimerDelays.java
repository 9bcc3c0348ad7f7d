package dev.couchjobs.internal.loop;

import dev.couchjobs.Environment;
import java.time.Duration;

/** Durations in the units of timers, with jitter. */
public final class TimerDelays {
    /** The longest timer. A caller may give a longer timeout, even one whose nanoseconds do not fit into a long. */
    private static final Duration LONGEST = Duration.ofDays(50_000);

    private TimerDelays() {}

    /** {@return the duration in nanoseconds, at most the longest time of a timer} */
    public static long nanos(Duration duration) {
        return duration.compareTo(LONGEST) < 0 ? duration.toNanos() : LONGEST.toNanos();
    }

    /** {@return the duration, extended by a random part of up to a percentage} */
    public static Duration jittered(Environment environment, Duration duration, int percentMax) {
        int percent = 100 + environment.random().nextInt(percentMax + 1);
        return duration.multipliedBy(percent).dividedBy(100);
    }
}
