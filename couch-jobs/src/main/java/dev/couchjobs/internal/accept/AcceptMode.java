package dev.couchjobs.internal.accept;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.internal.verbs.ScheduledTimes;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * Which jobs are wanted; those who want the same are served together.
 *
 * @param noSchedule only jobs without a scheduled time, from a random place
 * @param maxScheduledTime the latest scheduled time to take, in seconds; empty for the present time
 */
record AcceptMode(boolean noSchedule, OptionalLong maxScheduledTime) {
    static AcceptMode of(AcceptOptions options) {
        Instant max = options.maxSchedTime();
        return new AcceptMode(
                options.isNoSchedule(),
                max == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(Math.max(ScheduledTimes.NONE, max.getEpochSecond())));
    }

    /** The latest scheduled time to take at the present time {@code now}, in seconds since the epoch. */
    long latest(long now) {
        return maxScheduledTime.orElse(now);
    }

    /** Whether time alone may bring a job to take. */
    boolean followsClock() {
        return !noSchedule && maxScheduledTime.isEmpty();
    }
}
