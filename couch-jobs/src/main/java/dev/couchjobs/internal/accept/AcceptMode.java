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
 * @param reserve the part of the claims that goes round the priorities
 */
record AcceptMode(boolean noSchedule, OptionalLong maxScheduledTime, double reserve) {
    static AcceptMode of(AcceptOptions options) {
        Instant max = options.maxSchedTime();
        return new AcceptMode(
                options.isNoSchedule(),
                max == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(Math.max(ScheduledTimes.NONE, max.getEpochSecond())),
                options.reserve());
    }

    /** The latest scheduled time to take at the present time {@code now}, in seconds since the epoch. */
    long latest(long now) {
        return noSchedule ? ScheduledTimes.NONE : maxScheduledTime.orElse(now);
    }

    /** Whether time alone may bring a job to take. */
    boolean followsClock() {
        return !noSchedule && maxScheduledTime.isEmpty();
    }
}
