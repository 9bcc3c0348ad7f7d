package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import dev.couchjobs.internal.verbs.ListingVerbs;
import dev.couchjobs.internal.verbs.LogVerbs;
import dev.couchjobs.internal.verbs.QueryVerbs;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * What is kept beside a job: its attempts, its log and progress, what it waits for, and what waits for it ({@link
 * CouchJobs#details}). A handler writes log and progress with {@link JobContext}, another processor with {@link
 * Processor}. Safe for use by several threads.
 */
public final class JobDetails {
    private final QueryVerbs queryVerbs;
    private final ListingVerbs listingVerbs;
    private final LogVerbs logVerbs;

    JobDetails(QueryVerbs queryVerbs, ListingVerbs listingVerbs, LogVerbs logVerbs) {
        this.queryVerbs = queryVerbs;
        this.listingVerbs = listingVerbs;
        this.logVerbs = logVerbs;
    }

    /**
     * A job without its data, which may be large: it is not read.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @param <D> the type of the data
     * @param <R> the type of the result
     * @return the job with its result, or empty if there is none; its {@link JobInfo#data} throws an {@code
     *     IllegalStateException}
     */
    public <D, R> CompletableFuture<Optional<JobInfo<D, R>>> withoutData(
            ReadTransactionContext context, JobType<D, R> type, String jobId) {
        return queryVerbs.jobWithoutData(context, type, jobId);
    }

    /**
     * Why a job does not run now: what it waits for, or that it runs or has ended. A claim decides by the same rows.
     *
     * @param context a database, or a transaction to read in
     * @param type the type of the job
     * @param jobId its id
     * @return the reason; empty if there is no such job
     */
    public CompletableFuture<Optional<JobReason>> why(
            ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        return queryVerbs.why(context, type, jobId);
    }

    /**
     * The attempts of a job: by which processor, when, and how each ended. The last 100 are kept, as long as the job.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @return the attempts, oldest first; the last one may be under way. Empty if there is no such job
     */
    public CompletableFuture<List<JobAttempt>> attempts(
            ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        return queryVerbs.attempts(context, type, jobId);
    }

    /**
     * One page of the dependencies of a job that have not succeeded yet, by type and id.
     *
     * @param context a database, or a transaction to read in
     * @param type the type of the job
     * @param jobId its id
     * @param page which part of them
     * @return the page; empty if the job waits for no other, or is not there
     * @throws IllegalArgumentException if the page is to begin where this listing has no place, or newest first
     */
    public CompletableFuture<Page<Dependency>> waitsFor(
            ReadTransactionContext context, JobType<?, ?> type, String jobId, PageRequest page) {
        return listingVerbs.waitsFor(context, type, jobId, page);
    }

    /**
     * One page of the jobs that wait for a job, in no particular order.
     *
     * @param context a database, or a transaction to read in
     * @param type the type of the job that they wait for
     * @param jobId its id; there may be no such job yet
     * @param page which part of them
     * @return the page; empty if no job waits for it
     * @throws IllegalArgumentException if the page is to begin where this listing has no place, or newest first
     */
    public CompletableFuture<Page<Dependent>> dependents(
            ReadTransactionContext context, JobType<?, ?> type, String jobId, PageRequest page) {
        return listingVerbs.dependents(context, type, jobId, page);
    }

    /**
     * One page of the dependencies of a job that have not succeeded yet, by type and id, each with its state. All are
     * read in one transaction.
     *
     * @param context a database, or a transaction to read in
     * @param type the type of the job
     * @param jobId its id
     * @param types whether to list jobs of a type, by its name; neither the page nor its {@link Page#next} tells of
     *     others
     * @param page which part of them
     * @return the page; empty if the job waits for no such other, or is not there
     * @throws IllegalArgumentException if the page is to begin where this listing has no place, or newest first
     */
    public CompletableFuture<Page<LinkedJob>> dependencyStates(
            ReadTransactionContext context,
            JobType<?, ?> type,
            String jobId,
            Predicate<String> types,
            PageRequest page) {
        return listingVerbs.dependencyStates(context, type, jobId, types, page);
    }

    /**
     * One page of the jobs that wait for a job, in no particular order, each with its state. All are read in one
     * transaction.
     *
     * @param context a database, or a transaction to read in
     * @param type the type of the job that they wait for
     * @param jobId its id; there may be no such job yet
     * @param types whether to list jobs of a type, by its name; neither the page nor its {@link Page#next} tells of
     *     others
     * @param page which part of them
     * @return the page; empty if no such job waits for it
     * @throws IllegalArgumentException if the page is to begin where this listing has no place, or newest first
     */
    public CompletableFuture<Page<LinkedJob>> dependentStates(
            ReadTransactionContext context,
            JobType<?, ?> type,
            String jobId,
            Predicate<String> types,
            PageRequest page) {
        return listingVerbs.dependentStates(context, type, jobId, types, page);
    }

    /**
     * Entries of the log of a job, oldest first.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @param afterEntry the number of the last entry that is known, 0 to begin with the oldest that is kept
     * @param limit the most entries to read, from 1 to 1,000
     * @return the entries; none if there is no such job
     * @throws IllegalArgumentException if the number is negative or the limit is anything else
     */
    public CompletableFuture<List<LogEntry>> entries(
            ReadTransactionContext context, JobType<?, ?> type, String jobId, long afterEntry, int limit) {
        return logVerbs.read(context, type, jobId, afterEntry, limit);
    }

    /**
     * The last checkpoint of a job, whichever attempt wrote it.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @return the checkpoint, or empty if there is none
     */
    public CompletableFuture<Optional<LogEntry>> lastCheckpoint(
            ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        return logVerbs.lastCheckpoint(context, type, jobId);
    }

    /**
     * The progress that was last stored for a job.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @return the progress, or empty if there is none
     */
    public CompletableFuture<Optional<JobProgress>> progress(
            ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        return logVerbs.progress(context, type, jobId);
    }
}
