package dev.couchjobs.internal.data;

import dev.couchjobs.JobState;
import org.jspecify.annotations.Nullable;

/**
 * The change of a job with a limit key whose slot the end of the verb settles. A job that is due waits in the limited
 * queue of its key, or is admitted: it has a slot, and is in the queue from which processes claim. It keeps the slot
 * while it runs, and if it may run again at once. A running job keeps its limit key.
 *
 * @param ref the job
 * @param before the row before, or null
 * @param after the row after, or null
 */
public record LimitChange(
        JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {

    /** {@return whether the change of a job needs to be settled} */
    static boolean isToSettle(JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        if (!isLimited(before) && !isLimited(after)) {
            return false;
        }
        LimitChange change = new LimitChange(ref, before, after);
        boolean isAsBefore = isDueAndLimited(before)
                && isDueAndLimited(after)
                && before != null
                && after != null
                && LimitedJob.of(ref, before).equals(LimitedJob.of(ref, after));
        return !isAsBefore && change.affectsSlots();
    }

    private static boolean isLimited(@Nullable JobRow row) {
        return row != null && row.options().limitKey() != null;
    }

    /** {@return whether a slot may be freed, or is needed} */
    boolean affectsSlots() {
        return freesSlot() || leavesQueue() || needsSlot();
    }

    /** {@return whether a job is due and has a limit key} */
    static boolean isDueAndLimited(@Nullable JobRow row) {
        return row != null
                && row.options().limitKey() != null
                && row.state() == JobState.PENDING
                && !row.isBlocked()
                && (row.scheduledTime() == 0 || row.options().due());
    }

    /** {@return whether a job runs and has a limit key} */
    static boolean runsLimited(@Nullable JobRow row) {
        return row != null && row.options().limitKey() != null && row.state() == JobState.RUNNING;
    }

    /** {@return whether the job ran, and may not run again at once} */
    public boolean freesSlot() {
        return runsLimited(before) && !runsLimited(after) && !isDueAndLimited(after);
    }

    /** {@return whether the job was due, and no longer is, other than by a claim} */
    public boolean leavesQueue() {
        return isDueAndLimited(before) && !runsLimited(after);
    }

    /** {@return whether the job is due now, and did not run before} */
    public boolean needsSlot() {
        return isDueAndLimited(after) && !runsLimited(before);
    }
}
