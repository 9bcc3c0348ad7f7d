package dev.couchjobs.internal.claims;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.internal.data.JobRow;
import java.util.Optional;

/**
 * Lets a transaction go on only while a claim holds. The job's row has to be read in a way that conflicts with a
 * takeover; a lost lock cancels the transaction, so that nothing else written there can commit, even if the caller does
 * not look.
 */
public final class Fence {
    private Fence() {}

    /**
     * The row of a job that is still held.
     *
     * @throws JobHaltedException if it is not
     */
    public static JobRow held(Transaction tx, Job<?> job, Optional<JobRow> row) {
        return row.filter(found -> found.isHeldBy(job.lock())).orElseThrow(() -> halt(tx, job, row));
    }

    public static JobHaltedException halt(Transaction tx, Job<?> job, Optional<JobRow> row) {
        tx.cancel();
        return LostClaimErrors.of(job, row);
    }
}
