package dev.couchjobs;

import dev.couchjobs.loop.Durations;
import java.time.Duration;

/**
 * How many jobs of a type may start in a period, in all processes ({@link Limits#setRate}). A claim is a start; an
 * attempt after a failure is one more.
 *
 * @param starts how many jobs may start in a period, from 1 to 1,000,000
 * @param period the period in whole milliseconds, up to 31 days
 * @param burst how many jobs may start at once after an idle time, up to 1,000,000; 0 for windows
 */
public record Rate(int starts, Duration period, int burst) {
    private static final int STARTS_MAX = 1_000_000;
    private static final Duration PERIOD_UNIT = Duration.ofMillis(1);
    private static final Duration PERIOD_MAX = Duration.ofDays(31);

    /**
     * Checks a rate.
     *
     * @param starts how many jobs may start in a period
     * @param period the period
     * @param burst how many jobs may start at once after an idle time; 0 for windows
     * @throws IllegalArgumentException if it is not one
     */
    public Rate {
        if (starts < 1 || starts > STARTS_MAX || burst < 0 || burst > STARTS_MAX) {
            throw new IllegalArgumentException(
                    "A rate has 1 to 1,000,000 starts, and a burst of up to as many; this is " + starts
                            + " with a burst of " + burst + ". To stop a type, pause it.");
        }
        Durations.whole(PERIOD_UNIT, "milliseconds", "period", period, PERIOD_UNIT, PERIOD_MAX);
    }

    /**
     * A rate by windows of time that follow each other: in each no more jobs start. Around the end of a window twice as
     * many may start within a period.
     *
     * @param starts how many jobs may start in a window
     * @param period the length of a window
     * @return the rate
     * @throws IllegalArgumentException if the starts or the period are out of bounds
     */
    public static Rate perWindow(int starts, Duration period) {
        return new Rate(starts, period, 0);
    }

    /**
     * A rate by a token bucket: in any time no more jobs start than the burst and the share of that time.
     *
     * @param starts how many tokens come in a period, evenly
     * @param period the period
     * @param burst how many tokens the bucket holds, at least 1
     * @return the rate
     * @throws IllegalArgumentException if the starts, the period or the burst are out of bounds
     */
    public static Rate evenly(int starts, Duration period, int burst) {
        if (burst == 0) {
            throw new IllegalArgumentException("A burst is at least 1; this is 0. To stop a type, pause it.");
        }
        return new Rate(starts, period, burst);
    }
}
