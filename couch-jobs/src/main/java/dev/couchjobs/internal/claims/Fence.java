package dev.couchjobs.internal.claims;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.internal.descent.Descent;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.TransactionScope;
import java.util.Optional;

/**
 * Lets a transaction commit only while a claim is held. The caller reads the job's row in a way that conflicts with
 * another claim. A lost claim cancels the transaction, so that no other write of it can commit, even if the caller
 * ignores the error.
 */
public final class Fence {
    private Fence() {}

    /**
     * {@return the row of a job whose claim is held}
     *
     * @throws JobHaltedException if the claim is lost or has ended
     */
    public static JobRow held(Transaction tx, Job<?> job, Optional<JobRow> row) {
        JobRow held = row.filter(found -> found.isHeldBy(job.lock())).orElseThrow(() -> halt(tx, job, row));
        Descent.usedByHolder(tx, held);
        return held;
    }

    public static JobHaltedException halt(Transaction tx, Job<?> job, Optional<JobRow> row) {
        JobHaltedException halt = LostClaimErrors.of(job, row);
        TransactionScope.cancel(tx, halt);
        return halt;
    }
}
