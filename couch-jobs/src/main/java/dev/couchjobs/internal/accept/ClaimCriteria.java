package dev.couchjobs.internal.accept;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.internal.queue.Wanted;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * Criteria of the jobs to claim. One claim serves all requests with equal criteria.
 *
 * @param wanted which jobs of the queues
 * @param workStart when the work on the jobs begins
 * @param suspects whether to claim suspects too
 */
record ClaimCriteria(Wanted wanted, WorkStart workStart, boolean suspects) {
    /** {@return the criteria of a call for one job} */
    static ClaimCriteria of(AcceptOptions options) {
        Instant max = options.maxSchedTime();
        OptionalLong latest = max == null
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(ScheduledTimes.NONE, max.getEpochSecond()));
        Wanted wanted = new Wanted(options.isNoSchedule(), latest, options.lowPriorityShare());
        return new ClaimCriteria(wanted, WorkStart.WITH_CLAIM, true);
    }

    ClaimCriteria with(WorkStart workStart, boolean suspects) {
        return new ClaimCriteria(wanted, workStart, suspects);
    }

    /**
     * Whether these are the criteria of a worker that claims any due job. Idle processes with such workers elect a
     * leader, which alone watches for new jobs.
     */
    boolean electsLeader() {
        return wanted.followsClock()
                && suspects
                && (workStart == WorkStart.WITH_CLAIM_OF_ONE || workStart == WorkStart.LATER);
    }
}
