package dev.couchjobs.internal.feature;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.RowChange;
import org.jspecify.annotations.Nullable;

/**
 * Writes a release notice when a transaction ends a job with dependents. The package {@code dependencies} implements
 * the interface, so that this package does not depend on that one.
 */
@FunctionalInterface
public interface ReleaseRecorder {
    /**
     * Records the change of a job's row for its dependents.
     *
     * @param change the change as subscribers receive it
     * @param kept the row to write, or null if the job is removed
     * @return the row to write, with the remaining waiter groups
     */
    @Nullable JobRow record(Transaction tx, RowChange change, @Nullable JobRow kept);
}
