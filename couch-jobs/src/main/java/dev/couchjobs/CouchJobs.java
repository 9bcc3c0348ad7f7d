package dev.couchjobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.accept.Acceptors;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.LayoutRow;
import dev.couchjobs.internal.data.TypeTimeouts;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.monitor.ActivityMonitors;
import dev.couchjobs.internal.notify.Notifiers;
import dev.couchjobs.internal.notify.ResultWaiter;
import dev.couchjobs.internal.retention.RetentionService;
import dev.couchjobs.internal.transactions.MinimumVersionContext;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.verbs.CreatorVerbs;
import dev.couchjobs.internal.verbs.DeadLetterVerbs;
import dev.couchjobs.internal.verbs.FinishTransaction;
import dev.couchjobs.internal.verbs.ListingVerbs;
import dev.couchjobs.internal.verbs.LogVerbs;
import dev.couchjobs.internal.verbs.ProcessorVerbs;
import dev.couchjobs.internal.verbs.QuarantineVerbs;
import dev.couchjobs.internal.verbs.QueryVerbs;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.internal.views.ScheduledTimes;
import dev.couchjobs.internal.worker.WorkerRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Background jobs on FoundationDB: the verbs of CouchDB's RFC 007.
 *
 * <p>Every verb that changes something takes a {@link TransactionContext} first. Given a {@link Database}, it runs in a
 * transaction of its own, is retried as FoundationDB asks for, and acts once even where the result of a commit is
 * unknown. Given a {@link com.apple.foundationdb.Transaction}, it joins it: what it writes commits together with what
 * the caller writes, or not at all. The future of a verb that joined has to be completed before that transaction is
 * committed; of several verbs on one job in one transaction, each sees what the one before it did. Given another
 * database than its own, or a transaction of another, a verb fails with {@link OtherDatabaseException}.
 *
 * <p>If a transaction of a verb's own runs out of time (FoundationDB's error 1031, after the builder's
 * {@code transactionTimeout}), it may still commit: look before you repeat the verb.
 *
 * <p>Nothing here blocks. Futures complete on the database's executor. They fail with a {@link JobsException} or
 * an {@code FDBException}. Invalid arguments throw immediately. (As always, {@code join} wraps what it throws in a
 * {@link java.util.concurrent.CompletionException}.)
 *
 * <p>Rows that a later version has laid out in a way that this one does not know are left alone: every verb then fails
 * with {@link IncompatibleLayoutException}. Where the jobs have been moved away, every verb fails with
 * {@link OutOfServiceException}, also of an instance that was at work before.
 *
 * <p>One instance serves any number of threads. It starts background work only for what it is used for: a process that
 * accepts jobs of a type also watches over that type's running jobs, and one that waits for changes reads their feed.
 * {@link #close} ends all that; jobs and claims stay in the database.
 */
public final class CouchJobs implements AutoCloseable {
    /** The longest job id, in bytes of UTF-8. */
    public static final int JOB_ID_BYTES_MAX = Keyspace.JOB_ID_BYTES_MAX;

    private final Instance instance;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final CreatorVerbs creatorVerbs;
    private final ProcessorVerbs processorVerbs;
    private final QueryVerbs queryVerbs;
    private final ListingVerbs listingVerbs;
    private final LogVerbs logVerbs;
    private final Acceptors acceptors;
    private final ActivityMonitors monitors;
    private final Notifiers notifiers;
    private final FinishTransaction finishTransaction;
    private final ResultWaiter waiter;
    private final DeadLetterVerbs deadLetterVerbs;
    private final QuarantineVerbs quarantineVerbs;
    private final RetentionService retentionService;
    private final PayloadCodec codec;
    private final WorkerRegistry workers = new WorkerRegistry();
    private volatile boolean closed;

    CouchJobs(CouchJobsBuilder settings) {
        Environment environment = settings.environment();
        codec = new PayloadCodec(settings.mapper);
        keyspace = new Keyspace(settings.subspace);
        Transactions always = new Transactions(environment, keyspace, settings.transactionTimeout, settings.label())
                .of(settings.database);
        instance = new Instance(settings.name(), settings.database, environment, keyspace, always, codec);
        transactions = always.whileOpen(() -> !closed);
        Instance open = instance.with(transactions);
        creatorVerbs = new CreatorVerbs(open);
        processorVerbs = new ProcessorVerbs(open);
        queryVerbs = new QueryVerbs(open);
        listingVerbs = new ListingVerbs(open);
        logVerbs = new LogVerbs(open);
        retentionService = new RetentionService(instance, settings.maxClockSkew);
        monitors = new ActivityMonitors(instance, settings.feedRetention, retentionService);
        acceptors = new Acceptors(instance, monitors);
        notifiers = new Notifiers(instance);
        finishTransaction = new FinishTransaction(open);
        waiter = new ResultWaiter(instance, notifiers, queryVerbs);
        deadLetterVerbs = new DeadLetterVerbs(open);
        quarantineVerbs = new QuarantineVerbs(open);
    }

    /**
     * Jobs in a database, with everything as it is by default.
     *
     * @param database a cluster's database or an embedded one
     * @return an instance, to be closed when no longer needed
     */
    public static CouchJobs on(Database database) {
        return builder(database).build();
    }

    /**
     * Jobs in a database, with some things otherwise than by default. A wrapper around a database sees transactions
     * that run in the database's own loops, and, where the library has to know what a commit failed of, transactions
     * that the library makes, commits and tries again by {@code onError} itself.
     *
     * @param database a cluster's database or an embedded one
     * @return a builder
     */
    public static CouchJobsBuilder builder(Database database) {
        return new CouchJobsBuilder(database);
    }

    // Job Creation API

    /**
     * Adds a job that may run at once (RFC 007, {@code add/4}).
     *
     * <p>If there is such a job already, its state decides:
     *
     * <ul>
     *   <li>a pending job gets the new data and loses its scheduled time;
     *   <li>a running job keeps its data and runs once more when it is finished;
     *   <li>a finished job is pending again, with the new data: it runs again.
     * </ul>
     *
     * <p>To add a pending job just as it is changes nothing and conflicts with no other transaction. The result says
     * which of these was done. {@link NewJob#ifAbsent} and {@link NewJob#ifAbsentOrFinished} leave such a job alone.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job, which must have an activity timeout
     * @param jobId its id, unique within its type, 1 to {@value #JOB_ID_BYTES_MAX} bytes in UTF-8 (a zero counts twice)
     * @param data its data
     * @param <D> the type of the data
     * @return what was done; fails with {@link TypeTimeoutMissingException}
     * @throws PayloadException if the data cannot be stored
     */
    public <D> CompletableFuture<AddResult> add(TransactionContext context, JobType<D, ?> type, String jobId, D data) {
        return add(context, NewJob.of(type, data).id(jobId));
    }

    /**
     * Adds a job that is not to run before some time (RFC 007, {@code add/5}). If there is such a job already it is
     * treated as {@link #add(TransactionContext, JobType, String, Object)} says, and gets the new scheduled time.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job, which must have an activity timeout
     * @param jobId its id, unique within its type, 1 to {@value #JOB_ID_BYTES_MAX} bytes in UTF-8 (a zero counts twice)
     * @param data its data
     * @param scheduledTime the time, stored as the first whole second that is not before it
     * @param <D> the type of the data
     * @return what was done; fails with {@link TypeTimeoutMissingException}
     * @throws PayloadException if the data cannot be stored
     */
    public <D> CompletableFuture<AddResult> add(
            TransactionContext context, JobType<D, ?> type, String jobId, D data, Instant scheduledTime) {
        return add(context, NewJob.of(type, data).id(jobId).at(scheduledTime));
    }

    /**
     * Adds a job that may run at once, with an id as {@link #newJobId} makes them.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job, which must have an activity timeout
     * @param data its data
     * @param <D> the type of the data
     * @return what was done, with the job's id; fails with {@link TypeTimeoutMissingException}
     * @throws PayloadException if the data cannot be stored
     */
    public <D> CompletableFuture<AddResult> add(TransactionContext context, JobType<D, ?> type, D data) {
        return add(context, NewJob.of(type, data));
    }

    /**
     * Adds a job with everything that it asks for. If there is such a job already it is treated as
     * {@link #add(TransactionContext, JobType, String, Object)} says, and gets all that is given here in place of what
     * it had, or what is by default where nothing is given; a running job gets only the scheduled time and the
     * priority.
     *
     * <p>If the job has no id, each call makes another job. In a transaction of the caller's that is every try of that
     * transaction: where one whose commit had an unknown result must not add a job twice, give the job an id
     * beforehand.
     *
     * @param context a database, or a transaction to join
     * @param job the job, of a type that has an activity timeout
     * @return what was done; fails with {@link TypeTimeoutMissingException}, or with a {@link DependencyException} if
     *     it cannot wait for what it is to wait for
     * @throws PayloadException if the data cannot be stored
     * @throws DependencyException if it is to wait for itself, or for too many others
     */
    public CompletableFuture<AddResult> add(TransactionContext context, NewJob<?> job) {
        return creatorVerbs.add(context, job);
    }

    /**
     * Adds many jobs, of any types, in one transaction: all or none. Each is treated as
     * {@link #add(TransactionContext, NewJob)} says; one that is given twice is added twice, one time after the other.
     * It costs less than as many calls, because jobs that are added together share rows of the indexes. Those that wait
     * for others are added after all those that do not, in their order.
     *
     * @param context a database, or a transaction to join
     * @param jobs the jobs, of types that have an activity timeout
     * @return what was done, in the order of the jobs; fails with {@link TypeTimeoutMissingException}, or with
     *     {@link TooManyJobsException} if they do not fit into one transaction
     * @throws PayloadException if the data of one of them cannot be stored
     * @throws TooManyJobsException if they do not fit into one transaction whatever there is already
     */
    public CompletableFuture<List<AddResult>> addAll(TransactionContext context, Collection<? extends NewJob<?>> jobs) {
        return creatorVerbs.addAll(context, jobs);
    }

    /**
     * Makes an id for a job: a UUID of version 7 (RFC 9562) as text. No other job has it, wherever ids are made,
     * and it is greater than all that this instance made before, so that jobs come in the order of their ids first in,
     * first out. Made beforehand and kept, it lets a caller repeat {@code add} without making a second job;
     * {@link NewJob#ifAbsent} also keeps the job from running again if it has finished meanwhile.
     *
     * @return the id, of 36 characters
     */
    public String newJobId() {
        return creatorVerbs.newJobId();
    }

    /**
     * Removes a job (RFC 007, {@code remove}). If it is running, its processor is told so by
     * {@link JobHaltedException} when it next calls {@code update} or {@code finish}.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @return whether there was such a job
     */
    public CompletableFuture<Boolean> remove(TransactionContext context, JobType<?, ?> type, String jobId) {
        return creatorVerbs.remove(context, type, jobId);
    }

    /**
     * The data of a job (RFC 007, {@code get_job_data}).
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @param <D> the type of the data
     * @return the data, or empty if there is no such job; fails with {@link PayloadException} if it cannot be read
     */
    public <D> CompletableFuture<Optional<D>> getJobData(
            ReadTransactionContext context, JobType<D, ?> type, String jobId) {
        return queryVerbs.data(context, type, jobId);
    }

    /**
     * The state of a job (RFC 007, {@code get_job_state}).
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @return the state; {@link JobState#NOT_FOUND} if there is no such job
     */
    public CompletableFuture<JobState> getJobState(ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        return queryVerbs.state(context, type, jobId);
    }

    /**
     * All that is known of a job, with its data and its result.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @param <D> the type of the data
     * @param <R> the type of the result
     * @return the job, or empty if there is none
     */
    public <D, R> CompletableFuture<Optional<JobInfo<D, R>>> getJob(
            ReadTransactionContext context, JobType<D, R> type, String jobId) {
        return queryVerbs.job(context, type, jobId);
    }

    /**
     * The history of a job: who tried it, when, and how that ended. The last 100 attempts are kept, as long as the job
     * is.
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
     * One page of the jobs of a type, in the order of their ids. Jobs that come, go or change meanwhile are listed, or
     * not, as they are when their page is read; a place to go on from does not grow old.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @param page which part of the listing
     * @return the page
     * @throws IllegalArgumentException if the page is to begin where this listing has no place, or newest first
     */
    public CompletableFuture<Page<JobSummary>> list(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest page) {
        return listingVerbs.all(context, type, page);
    }

    /**
     * One page of the jobs of a type that are in one state. Those that are pending come in the order in which they are
     * queued: by priority, in each priority those without a scheduled time before the others, and those with a priority
     * whose time is to come at the end; jobs that wait for other jobs are in no queue and not among them. Those that
     * are running or finished come in the order of their ids. To find those that are finished a page looks at a bounded
     * number of jobs; it may be short, or empty, and yet not the last. The same holds of a page of those that are
     * running.
     *
     * <p>To list those that are running costs as much as jobs run, however many others there are: it reads the rows by
     * which activity monitors judge them. Where there are more than a thousand of these rows, each for up to 80 jobs of
     * one processor, or the transaction has written jobs of the type itself, a page looks at jobs instead. A running
     * job whose row there was damaged or removed past the library is not listed until an activity monitor has found the
     * job and given it another, which takes an activity timeout for each hundred jobs of the type; the listing of all
     * jobs has it all the time.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @param state pending, running or finished
     * @param page which part of the listing
     * @return the page
     * @throws IllegalArgumentException if the page is to begin where this listing has no place, or newest first, or if
     *     the state is {@link JobState#NOT_FOUND}
     */
    public CompletableFuture<Page<JobSummary>> list(
            ReadTransactionContext context, JobType<?, ?> type, JobState state, PageRequest page) {
        return listingVerbs.inState(context, type, state, page);
    }

    /**
     * Returns the number of jobs of a type by state. The numbers are exact as of the transaction's read version. The
     * cost does not depend on the number of jobs.
     *
     * <p>In a transaction of the caller's that also writes, this conflicts with every change of a job of that type;
     * give {@code tx.snapshot()} where the counts are only to be looked at.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @return the counts
     */
    public CompletableFuture<JobCounts> counts(ReadTransactionContext context, JobType<?, ?> type) {
        return listingVerbs.counts(context, type);
    }

    /**
     * The same database or transaction, for reads that must not be older than something the caller knows of: an event's
     * {@link JobEvent#sequence}, or the versionstamp of a transaction of its own. Whatever is read through it sees at
     * least what was committed up to there, or fails with {@link SequenceNotVisibleException}.
     *
     * <p>A read in a transaction of its own is never too old on the database that the sequence is of. It may be in a
     * transaction that was begun before, or whose read version is cached or set by the caller, or on another database.
     *
     * @param context a database, or a transaction to join
     * @param sequence the sequence, of a commit that has happened
     * @return a context for the verbs that read
     * @throws IllegalArgumentException if the sequence is incomplete
     */
    public ReadTransactionContext atLeastVersion(ReadTransactionContext context, Versionstamp sequence) {
        return new MinimumVersionContext(context, sequence);
    }

    /**
     * One page of what a job waits for: of those of its dependencies that have not succeeded yet, by type and id.
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

    // The log of a job

    /**
     * Writes an entry into the log of a job that one holds; those who follow the job are told. It is not a sign of
     * life. The last 1,000 entries of a job are kept, and they go with the job.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param entry what to write: anything that Jackson can write, up to 65,536 bytes as JSON
     * @return the entry's number; fails with {@link JobHaltedException} if the claim is lost, and then nothing was
     *     written
     * @throws PayloadException if the entry cannot be stored
     */
    public CompletableFuture<Long> log(TransactionContext context, Job<?> job, Object entry) {
        return logVerbs.append(context, job, LogEntry.Kind.LOG, entry);
    }

    /**
     * Writes an entry into the log of a job that one holds from which the next attempt may go on: like {@link #log},
     * and the last one is kept for as long as the job is, however many entries follow.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param checkpoint what to write: anything that Jackson can write, up to 65,536 bytes as JSON
     * @return the entry's number; fails with {@link JobHaltedException} if the claim is lost, and then nothing was
     *     written
     * @throws PayloadException if the checkpoint cannot be stored
     */
    public CompletableFuture<Long> checkpoint(TransactionContext context, Job<?> job, Object checkpoint) {
        return logVerbs.append(context, job, LogEntry.Kind.CHECKPOINT, checkpoint);
    }

    /**
     * Replaces the progress of a job that the caller holds. Subscribers of the job receive an event. It is
     * not a sign of life.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param done how much is done
     * @param total of how much; 0 if that is not known
     * @param text what is being done; may be empty
     * @return when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing was written
     * @throws IllegalArgumentException if these make no {@link JobProgress}
     */
    public CompletableFuture<Void> progress(
            TransactionContext context, Job<?> job, long done, long total, String text) {
        return logVerbs.progress(context, job, done, total, text);
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
    public CompletableFuture<List<LogEntry>> logEntries(
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
     * How far a job is, by what was last said.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @return the progress, or empty if nothing was said
     */
    public CompletableFuture<Optional<JobProgress>> progress(
            ReadTransactionContext context, JobType<?, ?> type, String jobId) {
        return logVerbs.progress(context, type, jobId);
    }

    // Types

    /**
     * Sets the activity timeout of a type (RFC 007, {@code set_type_timeout}): how long a processor may be silent
     * before its job is given to another. To be called once for a type before its first job is added. A process has to
     * monitor it: every process that accepts jobs of the type does, or calls {@link #monitor}. Monitors on all nodes
     * follow a change within the timeout they know.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param timeout a whole number of seconds, from one second to 3,650 days
     * @return when it is done
     * @throws IllegalArgumentException if the timeout is anything else
     */
    public CompletableFuture<Void> setTypeTimeout(TransactionContext context, JobType<?, ?> type, Duration timeout) {
        TypeTimeouts.check(timeout);
        return transactions.named("set timeout of", type.name()).run(context, tx -> {
            CompletableFuture<?> set = TypeTimeouts.set(tx, keyspace.type(type.name()), timeout);
            return CompletableFuture.allOf(set, new LayoutRow(keyspace).writeIfAbsent(tx));
        });
    }

    /**
     * The activity timeout of a type (RFC 007, {@code get_type_timeout}).
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return the timeout, or empty if the type has none
     */
    public CompletableFuture<Optional<Duration>> getTypeTimeout(ReadTransactionContext context, JobType<?, ?> type) {
        return transactions
                .named("get timeout of", type.name())
                .read(context, tx -> TypeTimeouts.get(tx, keyspace.type(type.name())));
    }

    /**
     * Takes the activity timeout of a type away: no job can be added to it, and running jobs are no longer watched
     * over. The jobs themselves stay.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @return when it is done
     */
    public CompletableFuture<Void> clearTypeTimeout(TransactionContext context, JobType<?, ?> type) {
        return transactions.named("clear timeout of", type.name()).run(context, tx -> {
            TypeTimeouts.clear(tx, keyspace.type(type.name()));
            return CompletableFuture.completedFuture(null);
        });
    }

    /**
     * The names of the types that have an activity timeout.
     *
     * @param context a database, or a transaction to join
     * @return the names, in order
     */
    public CompletableFuture<List<String>> getTypes(ReadTransactionContext context) {
        return transactions.named("list", "types").read(context, tx -> TypeTimeouts.types(tx, keyspace));
    }

    // Job Processing API

    /**
     * Claims a job that is due, and waits without limit until there is one (RFC 007, {@code accept/1}).
     *
     * @param type the type of job wanted
     * @param <D> the type of the data
     * @return the claimed job; never empty
     */
    public <D> CompletableFuture<Optional<Job<D>>> accept(JobType<D, ?> type) {
        return accept(type, AcceptOptions.defaults());
    }

    /**
     * Claims a job (RFC 007, {@code accept/2}). A caller who waits is woken by a watch; nothing is polled. Calls that
     * wait in one process are served together, first come first served, by one transaction for many jobs.
     *
     * <p>A claim holds until it is finished, or until a monitor finds that its processor has been silent for the type's
     * activity timeout: call {@code update} well before that. From the first call on, this instance also watches over
     * the running jobs of the type, wherever they run. A type without a timeout has no jobs to wait for, and that is
     * not an error: it may get one.
     *
     * <p>Cancelling the future gives up waiting; a claim that was just being made is handed back.
     *
     * @param type the type of job wanted
     * @param options which jobs, and how long to wait
     * @param <D> the type of the data
     * @return the claimed job, or empty when the time is up
     */
    public <D> CompletableFuture<Optional<Job<D>>> accept(JobType<D, ?> type, AcceptOptions options) {
        return acceptors.accept(type, options);
    }

    /**
     * Tells that a job is still being worked on (RFC 007, {@code update/2}). In a transaction of the caller's it is
     * also the fence: the other writes of that transaction commit only if the claim still holds.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param <D> the type of the data
     * @return the claim as it is now; fails with {@link JobHaltedException} if it is lost
     */
    public <D> CompletableFuture<Job<D>> update(TransactionContext context, Job<D> job) {
        return processorVerbs.update(context, job, null);
    }

    /**
     * Tells that a job is still being worked on, and replaces its data (RFC 007, {@code update/3}). Subscribers are
     * told.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param data the new data
     * @param <D> the type of the data
     * @return the claim as it is now; fails with {@link JobHaltedException} if it is lost
     * @throws PayloadException if the data cannot be stored
     */
    public <D> CompletableFuture<Job<D>> update(TransactionContext context, Job<D> job, D data) {
        return processorVerbs.update(context, job, Objects.requireNonNull(data, "data"));
    }

    /**
     * Ends the work on a job (RFC 007, {@code finish/2}): it is finished, or pending again if that was asked for.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param <D> the type of the data
     * @return when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing was changed
     */
    public <D> CompletableFuture<Void> finish(TransactionContext context, Job<D> job) {
        return processorVerbs.finish(context, job, null);
    }

    /**
     * Ends the work on a job and replaces its data, for example by its result (RFC 007, {@code finish/3}).
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param data the final data
     * @param <D> the type of the data
     * @return when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing was changed
     * @throws PayloadException if the data cannot be stored
     */
    public <D> CompletableFuture<Void> finish(TransactionContext context, Job<D> job, D data) {
        return processorVerbs.finish(context, job, Objects.requireNonNull(data, "data"));
    }

    /**
     * Ends the work on a job and keeps its result, for {@link #result}.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job, which says what its result is and how long it is kept
     * @param job the claim
     * @param result the result
     * @param <R> the type of the result
     * @return when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing was changed
     * @throws PayloadException if the result cannot be stored
     * @throws IllegalArgumentException if the claim is on a job of another type
     */
    public <R> CompletableFuture<Void> finishWithResult(
            TransactionContext context, JobType<?, R> type, Job<?> job, R result) {
        if (!type.name().equals(job.type().name())) {
            throw new IllegalArgumentException("The claim is on a job of type " + job.type() + ", not " + type + ".");
        }
        Disposition done =
                new Disposition.Succeeded(codec.encodeResult(type, job.id(), Objects.requireNonNull(result, "result")));
        return finishTransaction.end(context, type, job, done).thenAccept(ended -> {});
    }

    /**
     * Ends an attempt that has failed. By the {@link RetryPolicy} of the job, or else of its type, it is pending again
     * after a pause, or has failed for good and is a dead letter. An error that is
     * {@linkplain JobType#doNotRetryOn not worth another attempt} makes it one at once.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param error what went wrong; its class, its message and the first lines of its stack trace are kept
     * @return what became of the job, pending or finished; fails with {@link JobHaltedException} if the claim is lost,
     *     and then nothing was changed
     */
    public CompletableFuture<JobState> fail(TransactionContext context, Job<?> job, Throwable error) {
        Disposition failed = Disposition.failed(job.type(), Objects.requireNonNull(error, "error"));
        return finishTransaction.end(context, job.type(), job, failed).thenApply(ended -> ended.state());
    }

    /**
     * Ends an attempt without success or failure: the job is pending again, to be attempted after a pause.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param pause from zero to 36,500 days; stored in whole seconds, rounded up
     * @return when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing was changed
     * @throws IllegalArgumentException if the pause is negative or too long
     */
    public CompletableFuture<Void> snooze(TransactionContext context, Job<?> job, Duration pause) {
        return finishTransaction
                .end(context, job.type(), job, new Disposition.Snoozed(pause))
                .thenAccept(ended -> {});
    }

    /**
     * Gives a job up on purpose: it has ended, neither well nor as a failure, and is not tried again.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param reason why; kept with the job
     * @return when it is done; fails with {@link JobHaltedException} if the claim is lost, and then nothing was changed
     */
    public CompletableFuture<Void> cancel(TransactionContext context, Job<?> job, String reason) {
        return finishTransaction
                .end(context, job.type(), job, new Disposition.Cancelled(Objects.requireNonNull(reason, "reason")))
                .thenAccept(ended -> {});
    }

    /**
     * Asks for a job to run once more, at its scheduled time as it stands (RFC 007, {@code resubmit/2}): pending again
     * as soon as it is finished, or at once if this claim has finished it already.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param <D> the type of the data
     * @return the claim as it is now; fails with {@link JobHaltedException} if the job is gone or another's
     */
    public <D> CompletableFuture<Job<D>> resubmit(TransactionContext context, Job<D> job) {
        return processorVerbs.resubmit(context, job, OptionalLong.empty(), null);
    }

    /**
     * Asks for a job to run once more, at another time (RFC 007, {@code resubmit/3}).
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param scheduledTime the time, stored as the first whole second that is not before it
     * @param <D> the type of the data
     * @return the claim as it is now; fails with {@link JobHaltedException} if the job is gone or another's
     */
    public <D> CompletableFuture<Job<D>> resubmit(TransactionContext context, Job<D> job, Instant scheduledTime) {
        return processorVerbs.resubmit(context, job, OptionalLong.of(ScheduledTimes.toSeconds(scheduledTime)), null);
    }

    /**
     * Asks for a job to run once more, at another time and with other data. The data is taken only if this claim has
     * finished the job already; while it runs, its processor sets the data with {@code update} or {@code finish}.
     *
     * @param context a database, or a transaction to join
     * @param job the claim
     * @param scheduledTime the time, stored as the first whole second that is not before it
     * @param data the new data
     * @param <D> the type of the data
     * @return the claim as it is now; fails with {@link JobHaltedException} if the job is gone or another's
     * @throws PayloadException if the data cannot be stored
     */
    public <D> CompletableFuture<Job<D>> resubmit(
            TransactionContext context, Job<D> job, Instant scheduledTime, D data) {
        OptionalLong time = OptionalLong.of(ScheduledTimes.toSeconds(scheduledTime));
        return processorVerbs.resubmit(context, job, time, Objects.requireNonNull(data, "data"));
    }

    /**
     * Whether a caller asked for the job to run once more (RFC 007, {@code is_resubmitted}); ask it of the job that
     * {@code update} returned.
     *
     * @param job the claim
     * @return whether it will be pending again when it is finished
     */
    public boolean isResubmitted(Job<?> job) {
        return job.isResubmitted();
    }

    /**
     * Watches over the running jobs of a type in this process until this instance is closed, as {@code accept} does by
     * itself, and a worker for as long as it runs: jobs whose processors
     * have been silent for the activity timeout T become pending again, at most 1.5 T after their last sign of life.
     * Any number of processes may do so. A job whose last attempt that was has failed. Jobs that have ended are removed
     * when their time is up, see {@link Retention}.
     *
     * @param type the type
     * @throws CouchJobsClosedException if this instance is closed
     */
    public void monitor(JobType<?, ?> type) {
        monitors.watchOver(type);
    }

    // Outcomes

    /**
     * Waits for a job to end and gives its result. Blocks the calling thread, which must not be one that completes the
     * futures of the database; see {@link #resultAsync}.
     *
     * @param type the type of the job
     * @param jobId its id
     * @param timeout how long to wait; zero to look once
     * @param <R> the type of the result
     * @return the result; null if the job succeeded without one
     * @throws JobFailedException if the job has failed for good
     * @throws JobCancelledException if the job was given up
     * @throws JobNotFoundException if there is no such job, or nothing of it was kept after its end
     * @throws ResultTimeoutException if the job has not ended in time
     * @throws PayloadException if what is stored cannot be read as {@code R}
     * @throws CancellationException if the thread is interrupted; it stays so
     * @throws IllegalStateException if the job has not ended and time is virtual, as in a {@code JobsTestKit}: it would
     *     pass only if this thread did not wait
     */
    public <R> @Nullable R result(JobType<?, R> type, String jobId, Duration timeout) {
        CompletableFuture<@Nullable R> result = resultAsync(type, jobId, timeout);
        if (!result.isDone() && isTimeVirtual()) {
            result.cancel(false);
            throw new IllegalStateException(
                    "Job " + jobId + " of type " + type + " has not ended, and time is virtual: it does"
                            + " not pass while this thread waits. Use resultAsync, and let time pass before you ask"
                            + " for its value.");
        }
        try {
            return result.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new CompletionException(e.getCause());
        } catch (InterruptedException e) {
            result.cancel(false);
            Thread.currentThread().interrupt();
            throw new CancellationException("Interrupted while waiting for job " + jobId + " of type " + type + ".");
        }
    }

    /** A clock that is also the scheduler moves only while its thread runs what it has scheduled. */
    private boolean isTimeVirtual() {
        Environment environment = instance.environment();
        return environment.clock() == (Object) environment.scheduler();
    }

    /**
     * Waits for a job to end and gives its result, wherever it runs. Nothing is polled. If the job is enqueued again
     * before its result could be read, the next one is waited for. Cancelling the future gives up waiting.
     *
     * <p>Of a job whose retention is zero nothing is left after its end: then this fails with a
     * {@link JobNotFoundException}, which says whether the job was seen to end.
     *
     * @param type the type of the job
     * @param jobId its id
     * @param timeout how long to wait; zero to look once
     * @param <R> the type of the result
     * @return the result, null if the job succeeded without one; fails with {@link JobFailedException},
     *     {@link JobCancelledException}, {@link JobNotFoundException}, {@link ResultTimeoutException} or
     *     {@link PayloadException}
     * @throws IllegalArgumentException if the timeout is negative
     */
    public <R> CompletableFuture<@Nullable R> resultAsync(JobType<?, R> type, String jobId, Duration timeout) {
        return closed
                ? CompletableFuture.failedFuture(new CouchJobsClosedException())
                : waiter.await(type, jobId, timeout);
    }

    /**
     * A page of the jobs that have failed for good, in the order in which they did.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @param page which page
     * @return the page; fails with {@link IllegalArgumentException} if it is to follow what is no place in the listing
     */
    public CompletableFuture<Page<DeadLetter>> deadLetters(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest page) {
        return deadLetterVerbs.page(context, type, page);
    }

    /**
     * Sends a job that has failed for good again: it is pending, may run at once, and has all its attempts before it.
     * Its data and its history stay.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @return whether the job had failed for good; if not, nothing was changed
     */
    public CompletableFuture<Boolean> retryDeadLetter(TransactionContext context, JobType<?, ?> type, String jobId) {
        return deadLetterVerbs.retry(context, type, jobId);
    }

    /**
     * Sends all jobs of a type that have failed for good so far again, as {@link #retryDeadLetter} does, in as many
     * transactions as it takes. Several may do so at a time. If it fails, those that were sent are sent, and it may
     * simply be called again.
     *
     * @param type the type of the jobs
     * @return how many this call has sent
     */
    public CompletableFuture<Long> retryDeadLetters(JobType<?, ?> type) {
        return deadLetterVerbs.retryAll(type);
    }

    /**
     * A page of the rows of a type that could not be decoded and were moved out of the way, in the order in which they
     * came.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @param page which page
     * @return the page
     * @throws IllegalArgumentException if it is to follow what is no place in the listing, or newest first
     */
    public CompletableFuture<Page<QuarantinedRow>> quarantined(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest page) {
        return quarantineVerbs.page(context, type, page);
    }

    /**
     * Removes a row from quarantine for good. If it was the row of a job, and no job of that id has been added since,
     * then all that was kept for the job goes with it, and jobs that wait for it are told that it was removed.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @param id the {@link QuarantinedRow#id} of the row
     * @return whether it was there
     * @throws IllegalArgumentException if that is no id of a row in quarantine
     */
    public CompletableFuture<Boolean> removeQuarantined(TransactionContext context, JobType<?, ?> type, String id) {
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
    public CompletableFuture<Boolean> restoreQuarantined(TransactionContext context, JobType<?, ?> type, String id) {
        return quarantineVerbs.restore(context, type, id);
    }

    /**
     * Hands jobs of a type to an archive when their time is up, and removes them when it has taken them. That concerns
     * jobs that ended under a retention that is {@link Retention#archived}; without an archive they stay. Processes
     * that have one take turns.
     *
     * @param type the type of the jobs
     * @param archive what takes them
     * @param <D> the type of the data
     * @param <R> the type of the result
     * @throws IllegalStateException if this instance has an archive for the type
     * @throws CouchJobsClosedException if this instance is closed
     */
    public <D, R> void archive(JobType<D, R> type, JobArchive<D, R> archive) {
        retentionService.archive(type, Objects.requireNonNull(archive, "archive"));
    }

    /**
     * Makes a worker, which claims jobs and runs them by handlers.
     *
     * @return what it is to be; nothing runs before it is started
     */
    public WorkerBuilder worker() {
        return new WorkerBuilder(instance, acceptors, workers::add);
    }

    // Subscriptions

    /**
     * Tells how the clock of this process stands to those of the other processes that remove jobs. This reads what they
     * have noted; it does not matter whether this process removes jobs itself.
     *
     * @param context a database, or a transaction to join
     * @return the skew
     */
    public CompletableFuture<ClockSkew> clockSkew(ReadTransactionContext context) {
        return retentionService.clockSkew(context);
    }

    /**
     * Subscribes to the changes of a job, wherever they are made (RFC 007, {@code subscribe}). Nothing is lost between
     * the state that the subscription reports and the first event. In a transaction of the caller's it sees what that
     * transaction wrote, whether or not it commits, and every retry makes another subscription: close the earlier ones,
     * or subscribe outside.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @param <D> the type of the data
     * @return the subscription, to be closed when no longer needed
     */
    public <D> CompletableFuture<Subscription<D>> subscribe(
            ReadTransactionContext context, JobType<D, ?> type, String jobId) {
        return closed
                ? CompletableFuture.failedFuture(new CouchJobsClosedException())
                : notifiers.subscribe(context, type, jobId);
    }

    /**
     * Ends a subscription (RFC 007, {@code unsubscribe}) and drops the events that have not been taken.
     *
     * @param subscription the subscription
     */
    public void unsubscribe(Subscription<?> subscription) {
        subscription.close();
    }

    /**
     * Waits for the next change of a job (RFC 007, {@code awaitEvent/2}).
     *
     * @param subscription the subscription
     * @param timeout how long to wait, counted from the call
     * @param <D> the type of the data
     * @return the change, or empty when the time is up or no change can come any more
     */
    public <D> CompletableFuture<Optional<JobEvent<D>>> awaitEvent(Subscription<D> subscription, Duration timeout) {
        return waitFor(List.of(subscription), null, timeout);
    }

    /**
     * Waits until a job comes into one state (RFC 007, {@code awaitEvent/3}). Changes to other states are passed over.
     *
     * @param subscription the subscription
     * @param state the state
     * @param timeout how long to wait, counted from the call
     * @param <D> the type of the data
     * @return the change, or empty when the time is up or no change can come any more
     */
    public <D> CompletableFuture<Optional<JobEvent<D>>> awaitEvent(
            Subscription<D> subscription, JobState state, Duration timeout) {
        return waitFor(List.of(subscription), state, timeout);
    }

    /**
     * Waits for the next change of any of several jobs (RFC 007, {@code awaitEvent/2}); changes of jobs of one type
     * come in the order of their commits.
     *
     * @param subscriptions the subscriptions
     * @param timeout how long to wait, counted from the call
     * @param <D> the type of the data
     * @return the change, or empty when the time is up or no change can come any more
     */
    public <D> CompletableFuture<Optional<JobEvent<D>>> awaitEvent(
            Collection<? extends Subscription<? extends D>> subscriptions, Duration timeout) {
        return waitFor(subscriptions, null, timeout);
    }

    /**
     * Waits until any of several jobs comes into one state (RFC 007, {@code awaitEvent/3}). Changes to other states are
     * passed over.
     *
     * @param subscriptions the subscriptions
     * @param state the state
     * @param timeout how long to wait, counted from the call
     * @param <D> the type of the data
     * @return the change, or empty when the time is up or no change can come any more
     */
    public <D> CompletableFuture<Optional<JobEvent<D>>> awaitEvent(
            Collection<? extends Subscription<? extends D>> subscriptions, JobState state, Duration timeout) {
        return waitFor(subscriptions, state, timeout);
    }

    @SuppressWarnings("unchecked") // an event has the data type of its subscription, and events are only read
    private <D> CompletableFuture<Optional<JobEvent<D>>> waitFor(
            Collection<? extends Subscription<? extends D>> subscriptions, @Nullable JobState state, Duration timeout) {
        CompletableFuture<?> event = notifiers.await(subscriptions, state, timeout);
        return (CompletableFuture<Optional<JobEvent<D>>>) event;
    }

    /**
     * Ends this instance. From now on all verbs fail with {@link CouchJobsClosedException}, with a database as with a
     * transaction to join; so do {@code accept}, {@code awaitEvent} and {@code result} where they wait already. Verbs
     * that have begun run to their end. Monitors and notifiers stop. Workers that still run are ended without waiting:
     * their handlers are interrupted and their jobs given back, so close them first. A claim that is still held ends
     * with its lease; another instance can finish it. Neither the database is closed nor any job changed.
     */
    @Override
    public void close() {
        closed = true;
        workers.close();
        acceptors.close();
        notifiers.close();
        monitors.close();
        retentionService.close();
    }
}
