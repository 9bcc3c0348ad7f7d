package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.verbs.DeadLetterVerbs;
import java.util.concurrent.CompletableFuture;

/**
 * The jobs that have failed for good ({@link CouchJobs#deadLetters}). Safe for use by several threads.
 */
public final class DeadLetters {
    private final DeadLetterVerbs deadLetterVerbs;

    DeadLetters(Instance instance) {
        deadLetterVerbs = new DeadLetterVerbs(instance);
    }

    /**
     * One page of the jobs that have failed for good, in the order in which they did.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @param page which page
     * @return the page; fails with {@link IllegalArgumentException} if it is to follow what is no place in the listing
     */
    public CompletableFuture<Page<DeadLetter>> list(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest page) {
        return deadLetterVerbs.page(context, type, page);
    }

    /**
     * Runs a dead letter again: the job is pending, may run at once, and has all its attempts left. Its data and its
     * history stay.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @return whether the job had failed for good; if not, nothing was changed
     */
    public CompletableFuture<Boolean> retry(TransactionContext context, JobType<?, ?> type, String jobId) {
        return deadLetterVerbs.retry(context, type, jobId);
    }

    /**
     * Runs all present dead letters of a type again, as {@link #retry} does, in as many transactions as it takes.
     * Several processes may do so at a time. If it fails, the jobs of committed transactions are pending, and the
     * caller may repeat the call.
     *
     * @param type the type of the jobs
     * @return how many jobs this call has made pending
     */
    public CompletableFuture<Long> retryAll(JobType<?, ?> type) {
        return deadLetterVerbs.retryAll(type);
    }
}
