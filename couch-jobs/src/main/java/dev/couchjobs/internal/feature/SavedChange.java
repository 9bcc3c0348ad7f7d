package dev.couchjobs.internal.feature;

import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import org.jspecify.annotations.Nullable;

/**
 * A change of a job's row that a transaction has written.
 *
 * @param ref the job
 * @param before the row before, or null
 * @param event the row as subscribers receive it, also that of a job that its end removes; null for a removed job
 * @param after the row that is kept, or null
 * @param origin where the row before was
 */
public record SavedChange(
        JobRef ref,
        @Nullable JobRow before,
        @Nullable JobRow event,
        @Nullable JobRow after,
        Origin origin) {

    /** Where the row before was. */
    public enum Origin {
        /** In its place, as the rows of all indexes say. */
        TABLE,
        /** In its place, but the transaction has removed its row from its queue. */
        DEQUEUED,
        /** In quarantine: the counters include it, and no index has it. */
        QUARANTINE,
        /** In its place, but some index may have lost its rows. */
        UNINDEXED
    }

    /** {@return whether the rows of indexes are to be written again, whatever is there} */
    public boolean isRestored() {
        return origin == Origin.QUARANTINE || origin == Origin.UNINDEXED;
    }

    /** {@return the row before, as the indexes have it, or null} */
    public @Nullable JobRow indexed() {
        return isRestored() ? null : before;
    }
}
