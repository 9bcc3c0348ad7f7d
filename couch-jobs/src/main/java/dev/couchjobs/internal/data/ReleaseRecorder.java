package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * Records, when a job's row is written, what that means to the jobs that wait for it. Each transaction has one. The
 * package of dependencies implements it, so that this package does not depend on that one.
 */
public interface ReleaseRecorder {
    /**
     * Writes what a step from one row to another means to those who wait for the job.
     *
     * @param told the step that subscribers receive
     * @param kept what is kept of the job's row
     * @return what is kept of it, with the waiter groups that are left
     */
    @Nullable JobRow record(Transaction tx, RowChange told, @Nullable JobRow kept);
}
