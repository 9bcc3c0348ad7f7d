package dev.couchjobs.internal.accept;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * Which jobs are wanted; those who want the same are served together.
 *
 * @param noSchedule only jobs without a scheduled time, from a random place
 * @param maxScheduledTime the latest scheduled time to take, in seconds; empty for the present time
 * @param lowPriorityShare the part of the claims that goes round the priorities
 * @param workStart when the work on them begins
 * @param suspects whether jobs are wanted on which claims have expired
 */
record ClaimCriteria(
        boolean noSchedule,
        OptionalLong maxScheduledTime,
        double lowPriorityShare,
        WorkStart workStart,
        boolean suspects) {
    static ClaimCriteria of(AcceptOptions options) {
        Instant max = options.maxSchedTime();
        return new ClaimCriteria(
                options.isNoSchedule(),
                max == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(Math.max(ScheduledTimes.NONE, max.getEpochSecond())),
                options.lowPriorityShare(),
                WorkStart.WITH_CLAIM,
                true);
    }

    ClaimCriteria with(WorkStart workStart, boolean suspects) {
        return new ClaimCriteria(noSchedule, maxScheduledTime, lowPriorityShare, workStart, suspects);
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
        return followsClock() && suspects && workStart != WorkStart.WITH_CLAIM;
    }
}
