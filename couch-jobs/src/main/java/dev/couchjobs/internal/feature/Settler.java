package dev.couchjobs.internal.feature;

import com.apple.foundationdb.Transaction;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Settles at the end of a verb what follows from its changes of jobs, and needs reads. What needs none is written with
 * the job's row.
 */
@FunctionalInterface
public interface Settler {
    /** What a settler returns that has nothing to settle. */
    CompletableFuture<?> NOTHING = CompletableFuture.completedFuture(true);

    /**
     * Settles changes of jobs. It may change jobs: the settlers behind it settle these changes with the others.
     *
     * @param changes the changes by this transaction since the last call, of all jobs
     * @param followUp runs what has to follow the commit
     */
    CompletableFuture<?> settle(Transaction tx, List<SavedChange> changes, FollowUp followUp);
}
