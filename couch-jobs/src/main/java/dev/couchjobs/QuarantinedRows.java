package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.verbs.QuarantineVerbs;
import java.util.concurrent.CompletableFuture;

/**
 * The rows that could not be decoded and were moved out of the way ({@link CouchJobs#quarantine}). Safe for use by
 * several threads.
 */
public final class QuarantinedRows {
    private final QuarantineVerbs quarantineVerbs;

    QuarantinedRows(Instance instance) {
        quarantineVerbs = new QuarantineVerbs(instance);
    }

    /**
     * One page of the quarantined rows of a type, in the order in which they came.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @param page which page
     * @return the page
     * @throws IllegalArgumentException if it is to follow what is no place in the listing, or newest first
     */
    public CompletableFuture<Page<QuarantinedRow>> list(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest page) {
        return quarantineVerbs.page(context, type, page);
    }

    /**
     * Removes a row from quarantine for good. If it was the row of a job, and no job of that id has been added since,
     * then all that was kept for the job goes with it, and its dependents see that it was removed.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @param id the {@link QuarantinedRow#id} of the row
     * @return whether it was there
     * @throws IllegalArgumentException if that is no id of a row in quarantine
     */
    public CompletableFuture<Boolean> remove(TransactionContext context, JobType<?, ?> type, String id) {
        return quarantineVerbs.remove(context, type, id);
    }

    /**
     * Puts a row back from quarantine, with the key and the bytes that it had. A job that was running is pending then,
     * for another attempt.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @param id the {@link QuarantinedRow#id} of the row
     * @return whether it is back; not if it was not in quarantine, or if there is another row in its place; fails with
     *     {@link UndecodableRowException}, and leaves it in quarantine, if it is the row of a job that cannot be
     *     decoded by this version of the library either
     * @throws IllegalArgumentException if that is no id of a row in quarantine
     */
    public CompletableFuture<Boolean> restore(TransactionContext context, JobType<?, ?> type, String id) {
        return quarantineVerbs.restore(context, type, id);
    }
}
