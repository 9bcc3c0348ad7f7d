package dev.couchjobs.internal.job;

import dev.couchjobs.internal.rows.JobRef;
import org.jspecify.annotations.Nullable;

/**
 * The change of a job's row.
 *
 * @param ref the job
 * @param before the row as this transaction has read it, or null if there is none
 * @param after the new row, or null to remove the row
 * @param isDequeued whether the transaction has already removed the row of {@code before} from its queue
 */
public record RowChange(
        JobRef ref, @Nullable JobRow before, @Nullable JobRow after, boolean isDequeued) {

    /** A change of a job whose row in its queue changes with it. */
    public RowChange(JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        this(ref, before, after, false);
    }

    /** {@return this claim, for another than the instance} */
    public RowChange claimedBy(String name) {
        return new RowChange(ref, before, after == null ? null : after.claimedBy(name), isDequeued);
    }

    /** {@return this change after the transaction has removed the job from its queue} */
    public RowChange dequeued() {
        return new RowChange(ref, before, after, true);
    }
}
