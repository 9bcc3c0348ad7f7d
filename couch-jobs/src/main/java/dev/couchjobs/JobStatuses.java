package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.verbs.StatusVerbs;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * The jobs of a type by {@linkplain JobStatus status}, counted exactly and listed in pages without a scan ({@link
 * CouchJobs#statuses}). That takes an index, which the user asks for, type by type: from then on each transaction that
 * changes the status of a job of that type writes two rows more (rfc/029). The contract of contexts, futures and errors
 * is that of {@link CouchJobs}. Safe for use by several threads.
 */
public final class JobStatuses {
    private final StatusVerbs verbs;

    JobStatuses(Instance instance) {
        verbs = new StatusVerbs(instance);
    }

    /**
     * Indexes the jobs of a type, and all that are added or changed later. An indexed type stays as it is. The first
     * index of an instance keeps processes with an older version from writing.
     *
     * @param type the type
     * @return completes when all jobs are indexed; if it fails, or its process dies, another call goes on
     */
    public CompletableFuture<Void> index(JobType<?, ?> type) {
        return index(type, count -> {});
    }

    /**
     * Indexes the jobs of a type, as {@link #index(JobType)} does, and tells how far it is.
     *
     * @param type the type
     * @param progress receives how many jobs this call has passed, after each of its transactions, on a thread of the
     *     database's executor; an exception ends the call
     * @return completes when all jobs are indexed
     */
    public CompletableFuture<Void> index(JobType<?, ?> type, LongConsumer progress) {
        return verbs.index(type, progress);
    }

    /**
     * Removes the index of a type.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return completes when it is done
     */
    public CompletableFuture<Void> drop(TransactionContext context, JobType<?, ?> type) {
        return verbs.drop(context, type);
    }

    /**
     * How many jobs of a type have each status, exact as of the transaction's read version. In a transaction of the
     * caller's that also writes, this conflicts with every change of a status, unless given {@code tx.snapshot()}.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return the number of each status; fails with {@link NotIndexedException} without an index
     */
    public CompletableFuture<Map<JobStatus, Long>> counts(ReadTransactionContext context, JobType<?, ?> type) {
        return verbs.counts(context, type);
    }

    /**
     * One page of the jobs of a type with a status. Jobs that are scheduled or to be retried come in the order of their
     * scheduled times, jobs that run or have ended in that of their beginnings or ends, and others in the order in
     * which they were enqueued if that is stored, else by id. One range read serves a page.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param status the status
     * @param page which page
     * @return the page; fails with {@link NotIndexedException} without an index
     * @throws IllegalArgumentException if the page goes on from no place in this listing
     */
    public CompletableFuture<Page<JobLine>> list(
            ReadTransactionContext context, JobType<?, ?> type, JobStatus status, PageRequest page) {
        return verbs.list(context, type, status, page);
    }
}
