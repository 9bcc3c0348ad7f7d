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
 * @param beginning when the work on them begins
 * @param suspects whether jobs are wanted on which claims have expired
 */
record AcceptMode(
        boolean noSchedule, OptionalLong maxScheduledTime, double reserve, Beginning beginning, boolean suspects) {
    static AcceptMode of(AcceptOptions options) {
        Instant max = options.maxSchedTime();
        return new AcceptMode(
                options.isNoSchedule(),
                max == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(Math.max(ScheduledTimes.NONE, max.getEpochSecond())),
                options.reserve(),
                Beginning.WITH_CLAIM,
                true);
    }

    AcceptMode with(Beginning beginning, boolean suspects) {
        return new AcceptMode(noSchedule, maxScheduledTime, reserve, beginning, suspects);
    }

    /** The latest scheduled time to take at the present time {@code now}, in seconds since the epoch. */
    long latest(long now) {
        return noSchedule ? ScheduledTimes.NONE : maxScheduledTime.orElse(now);
    }

    /** Whether time alone may bring a job to take. */
    boolean followsClock() {
        return !noSchedule && maxScheduledTime.isEmpty();
    }

    /** Whether a worker takes whatever is due: then it takes turns with other processes in watching for new jobs. */
    boolean takesTurns() {
        return followsClock() && suspects && beginning != Beginning.WITH_CLAIM;
    }
}
