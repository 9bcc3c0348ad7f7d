package dev.couchjobs.internal.accept;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * Criteria of the jobs to claim. One claim serves all requests with equal criteria.
 *
 * @param noSchedule whether to claim only jobs without a scheduled time, from a random position in the queue
 * @param maxScheduledTime the latest scheduled time to claim, in seconds; empty for the present time
 * @param lowPriorityShare the part of the claims that goes to the priorities in rotation
 * @param workStart when the work on the jobs begins
 * @param suspects whether to claim suspects too
 */
record ClaimCriteria(
        boolean noSchedule,
        OptionalLong maxScheduledTime,
        double lowPriorityShare,
        WorkStart workStart,
        boolean suspects) {
    /** {@return the criteria of a call for one job} */
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

    /** The latest scheduled time to claim at the present time {@code now}, in seconds since the epoch. */
    long latest(long now) {
        return noSchedule ? ScheduledTimes.NONE : maxScheduledTime.orElse(now);
    }

    /** Whether a scheduled job meets these criteria once its time has passed. */
    boolean followsClock() {
        return !noSchedule && maxScheduledTime.isEmpty();
    }

    /**
     * Whether these are the criteria of a worker that claims any due job. Idle processes with such workers elect a
     * leader, which alone watches for new jobs.
     */
    boolean electsLeader() {
        return followsClock() && suspects && (workStart == WorkStart.WITH_CLAIM_OF_ONE || workStart == WorkStart.LATER);
    }
}
