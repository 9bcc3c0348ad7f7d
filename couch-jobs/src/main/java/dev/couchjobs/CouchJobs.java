package dev.couchjobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.accept.Acceptors;
import dev.couchjobs.internal.health.HealthReader;
import dev.couchjobs.internal.instance.AgreedClock;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.monitor.BackgroundServices;
import dev.couchjobs.internal.notify.ChangeWaits;
import dev.couchjobs.internal.notify.Notifiers;
import dev.couchjobs.internal.notify.ResultWaiter;
import dev.couchjobs.internal.observe.MiddlewareChain;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.sweep.RetentionService;
import dev.couchjobs.internal.transactions.MinimumVersionContext;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.verbs.ChangeVerbs;
import dev.couchjobs.internal.verbs.CreatorVerbs;
import dev.couchjobs.internal.verbs.ListingVerbs;
import dev.couchjobs.internal.verbs.LogVerbs;
import dev.couchjobs.internal.verbs.QueryVerbs;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.internal.worker.WorkerRegistry;
import dev.couchjobs.loop.Observers;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Background jobs on FoundationDB (CouchDB's RFC 007). This class adds jobs, reads them and waits for them. Further
 * operations: {@link #processor} claims and ends jobs; {@link #control} cancels and reschedules them; {@link #types}
 * sets activity timeouts and pauses types; {@link #workers} lists and steers workers; {@link #limits}, {@link
 * #schedules} and {@link #batches} are for limits, recurring jobs and batches; {@link #changes} follows the jobs of
 * types; {@link #details} reads attempts, logs and dependencies; {@link #deadLetters} resubmits failed jobs; {@link
 * #quarantine} restores undecodable rows; {@link #maintenance} starts monitors and archives; {@link #health} looks
 * whether all that works.
 *
 * <p>The first argument of a verb is a database or a transaction. With a {@link Database}, the verb runs in a
 * transaction of its own, with retries, and takes effect once even if the result of a commit is unknown. After
 * FoundationDB's error 1031 (the builder's {@code transactionTimeout} is over) that transaction may still commit: read
 * the job before you repeat the verb. With a {@link com.apple.foundationdb.Transaction}, the verb joins that
 * transaction: the writes of the verb and of the caller commit together or not at all. Complete the verb's future
 * before you commit. Each verb sees what earlier verbs of the same transaction did. A database or transaction of
 * another database is refused with {@link OtherDatabaseException}.
 *
 * <p>Only {@link #result} blocks. Invalid arguments throw immediately. All other errors come through the future, as a
 * {@link JobsException} or an {@code FDBException}; futures complete on the database's executor.
 *
 * <p>If a later version has changed the layout of rows, every verb fails with {@link IncompatibleLayoutException};
 * after the jobs have moved to another database, with {@link OutOfServiceException}. An instance is safe for use by
 * several threads. It starts only the background services that its verbs need.
 */
public final class CouchJobs implements AutoCloseable {
    /** The longest job id, in bytes of UTF-8. */
    public static final int JOB_ID_BYTES_MAX = Keyspace.JOB_ID_BYTES_MAX;

    private final Instance internalInstance;
    private final Instance publicInstance;
    private final CreatorVerbs creatorVerbs;
    private final QueryVerbs queryVerbs;
    private final ListingVerbs listingVerbs;
    private final LogVerbs logVerbs;
    private final Acceptors acceptors;
    private final BackgroundServices services;
    private final Notifiers notifiers;
    private final ChangeWaits changeWaits;
    private final RetentionService retentionService;
    private final HealthReader healthReader;
    private final WorkerRegistry registry = new WorkerRegistry();
    private final String host;
    private final Processor processor;
    private final Optional<Environment> environmentToClose;
    private volatile boolean closed;

    CouchJobs(CouchJobsBuilder settings) {
        Environment given = settings.environment;
        Environment environment = given == null ? Environment.system() : given.guarded();
        environmentToClose = given == null ? Optional.of(environment) : Optional.empty();
        host = settings.host();
        Keyspace keyspace = new Keyspace(settings.subspace);
        AgreedClock clock = new AgreedClock(environment.clock());
        Observers<JobsListener> listeners = new Observers<>(settings.listeners, environment);
        Transactions transactions = new Transactions(
                        environment, clock, keyspace, settings.transactionTimeout, settings.label())
                .restrictedTo(settings.database)
                .observedBy(listeners);
        PayloadCodec codec = new PayloadCodec(settings.codec(), settings.encryption.cipher());
        internalInstance = new Instance(
                settings.name(environment),
                settings.database,
                environment,
                clock,
                keyspace,
                transactions,
                codec,
                listeners,
                new MiddlewareChain(settings.middleware),
                Instance.looks(environment, settings.database, transactions));
        publicInstance = internalInstance.with(transactions.whileOpen(() -> !closed));
        creatorVerbs = new CreatorVerbs(publicInstance);
        queryVerbs = new QueryVerbs(publicInstance);
        listingVerbs = new ListingVerbs(publicInstance);
        retentionService = new RetentionService(internalInstance, settings.maxClockSkew);
        healthReader = new HealthReader(publicInstance, retentionService::clockSkew);
        services = new BackgroundServices(internalInstance, settings.feedRetention, retentionService);
        acceptors = new Acceptors(internalInstance, services);
        notifiers = new Notifiers(internalInstance);
        changeWaits = new ChangeWaits(internalInstance);
        logVerbs = new LogVerbs(publicInstance);
        processor = new Processor(publicInstance, acceptors, logVerbs);
    }

    /**
     * {@return an instance with the default settings, to be closed when no longer needed}
     *
     * @param database a cluster's database or an embedded one
     */
    public static CouchJobs on(Database database) {
        return builder(database).build();
    }

    /**
     * {@return a builder, for other settings}
     *
     * @param database a cluster's database or an embedded one
     */
    public static CouchJobsBuilder builder(Database database) {
        return new CouchJobsBuilder(database);
    }

    /** {@return the verbs of a processor: accept, update, finish, fail, resubmit and others that take a claim} */
    public Processor processor() {
        return processor;
    }

    /** {@return the types and their activity timeouts} */
    public JobTypes types() {
        return new JobTypes(publicInstance);
    }

    /** {@return the attempts, log, progress and dependencies of jobs} */
    public JobDetails details() {
        return new JobDetails(queryVerbs, listingVerbs, logVerbs);
    }

    /** {@return the jobs that have failed for good} */
    public DeadLetters deadLetters() {
        return new DeadLetters(publicInstance);
    }

    /** {@return the verbs of operators: to cancel a job, to run it now, or to change its time or priority} */
    public JobControl control() {
        return new JobControl(publicInstance);
    }

    /** {@return the batches of jobs} */
    public Batches batches() {
        return new Batches(publicInstance);
    }

    /** {@return the limits of how many jobs with one limit key run at once} */
    public Limits limits() {
        return new Limits(publicInstance);
    }

    /** {@return the jobs by status: counted, and listed in pages} */
    public JobStatuses statuses() {
        return new JobStatuses(publicInstance);
    }

    /** {@return the changes of jobs, for processes that follow many of them} */
    public JobChanges changes() {
        return new JobChanges(new ChangeVerbs(publicInstance), changeWaits);
    }

    /** {@return the recurring jobs} */
    public Schedules schedules() {
        return new Schedules(publicInstance);
    }

    /** {@return the workers of all processes, to list, pause and drain them} */
    public Workers workers() {
        return new Workers(publicInstance);
    }

    /** {@return the rows that could not be decoded} */
    public QuarantinedRows quarantine() {
        return new QuarantinedRows(publicInstance);
    }

    /** {@return a check whether this instance can work, and its jobs run} */
    public HealthCheck health() {
        return new HealthCheck(healthReader);
    }

    /** {@return the verbs that start monitors and archives, and measure clocks} */
    public Maintenance maintenance() {
        return new Maintenance(services, retentionService);
    }

    /**
     * Adds a job that may run at once (RFC 007, {@code add/4}). If there is such a job already, its state decides: a
     * pending job gets the new data and loses its scheduled time; a running job keeps its data and runs once more when
     * it is finished; a finished job is pending again, with the new data. The result says which. Adding a pending job
     * without a change writes nothing and conflicts with no other transaction. {@link NewJob#ifAbsent} and
     * {@link NewJob#ifAbsentOrFinished} leave an existing job alone.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id, unique within its type, 1 to {@value #JOB_ID_BYTES_MAX} bytes in UTF-8, without control
     *     characters
     * @param data its data
     * @param <D> the type of the data
     * @return the result
     * @throws PayloadException if the data cannot be stored
     */
    public <D> CompletableFuture<AddResult> add(TransactionContext context, JobType<D, ?> type, String jobId, D data) {
        return add(context, NewJob.of(type, data).id(jobId));
    }

    /**
     * Adds a job that may run at once, with an id from {@link #newJobId}.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param data its data
     * @param <D> the type of the data
     * @return the result, with the job's id
     * @throws PayloadException if the data cannot be stored
     */
    public <D> CompletableFuture<AddResult> add(TransactionContext context, JobType<D, ?> type, D data) {
        return add(context, NewJob.of(type, data));
    }

    /**
     * Adds a job with the options of a {@link NewJob} (RFC 007, {@code add/5}), such as a scheduled time. An existing
     * job is treated as {@link #add(TransactionContext, JobType, String, Object)} says and gets these options in place
     * of its own; a running job gets only the scheduled time and the priority. A job without an id gets a new one in
     * each call, and so in each try of the caller's transaction: give it an id if a retry must not add a second job.
     *
     * <p>With a database, additions that come while two others are on their way share commits: many at once cost little
     * more than {@link #addAll}. Each has its own result, and fails no other.
     *
     * @param context a database, or a transaction to join
     * @param job the job
     * @return the result; fails with {@link DependencyException} if the job cannot wait for a dependency
     * @throws PayloadException if the data cannot be stored
     * @throws DependencyException if the job depends on itself, or on too many others
     */
    public CompletableFuture<AddResult> add(TransactionContext context, NewJob<?> job) {
        return creatorVerbs.add(context, job);
    }

    /**
     * Adds jobs of any types in one transaction: all or none, in their order, jobs with dependencies last. Each is
     * treated as {@link #add(TransactionContext, NewJob)} says. It costs less than as many calls.
     *
     * @param context a database, or a transaction to join
     * @param jobs the jobs
     * @return the result, in the order of the jobs; fails with {@link TooManyJobsException} if they do not fit
     * @throws PayloadException if the data of one of them cannot be stored
     * @throws TooManyJobsException if they cannot fit into one transaction, whatever the database holds
     */
    public CompletableFuture<List<AddResult>> addAll(TransactionContext context, Collection<? extends NewJob<?>> jobs) {
        return creatorVerbs.addAll(context, jobs);
    }

    /**
     * Makes a unique job id: a UUID of version 7 (RFC 9562). Ids of one instance ascend. An id that a caller made
     * beforehand and kept lets it repeat {@code add} without a second job; see also {@link NewJob#ifAbsent}.
     *
     * @return the id, of 36 characters
     */
    public String newJobId() {
        return creatorVerbs.newJobId();
    }

    /**
     * Removes a job (RFC 007, {@code remove}). If it is running, the next verb of its processor fails with {@link
     * JobHaltedException}, and a worker tells its handler to stop at once. {@link JobControl#cancel} keeps the row and
     * says why.
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
     * Returns a job with its data and its result.
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
     * One page of the jobs of a type, in the order of their ids.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @param page the part of the listing to read
     * @return the page
     * @throws IllegalArgumentException if the page asks for newest first, or its token is of another listing
     */
    public CompletableFuture<Page<JobSummary>> list(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest page) {
        return listingVerbs.all(context, type, page);
    }

    /**
     * One page of the jobs of a type with a {@linkplain NewJob#tags tag}, by id, whatever their state.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param tag the tag
     * @param page which page, oldest first
     * @return the page; one may be short and not be the last
     * @throws IllegalArgumentException if the tag is not valid, or the page is newest first
     */
    public CompletableFuture<Page<JobSummary>> listTagged(
            ReadTransactionContext context, JobType<?, ?> type, String tag, PageRequest page) {
        return listingVerbs.tagged(context, type, tag, page);
    }

    /**
     * One page of the jobs of a type that are in one state. Pending jobs come in the order of the queue; jobs that wait
     * for dependencies are in no queue and not among them. Running and finished jobs come in the order of their ids. A
     * page of running or finished jobs reads a bounded number of rows: it may be short, or empty, and not the last.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @param state pending, running or finished
     * @param page the part of the listing to read
     * @return the page
     * @throws IllegalArgumentException if the page is newest first or of another listing, or the state NOT_FOUND
     */
    public CompletableFuture<Page<JobSummary>> list(
            ReadTransactionContext context, JobType<?, ?> type, JobState state, PageRequest page) {
        return listingVerbs.inState(context, type, state, page);
    }

    /**
     * Returns the number of jobs of a type by state, exact as of the transaction's read version. In a transaction of
     * the caller's that also writes, this conflicts with every change of a job of that type, unless given {@code
     * tx.snapshot()}.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the jobs
     * @return the counts
     */
    public CompletableFuture<JobCounts> counts(ReadTransactionContext context, JobType<?, ?> type) {
        return listingVerbs.counts(context, type);
    }

    /**
     * Wraps a database or transaction for reads that see at least a version. A read that cannot see the version fails
     * with {@link SequenceNotVisibleException}.
     *
     * @param context a database, or a transaction to join
     * @param version the {@link JobEvent#sequence} of a change, or the versionstamp of a committed transaction
     * @return a context for the verbs that read
     * @throws IllegalArgumentException if the version is incomplete
     */
    public ReadTransactionContext atLeastVersion(ReadTransactionContext context, Versionstamp version) {
        return new MinimumVersionContext(context, version);
    }

    /**
     * Waits for a job to end and returns its result. Blocks the calling thread, which must not be a thread of the
     * database's executor; see {@link #resultAsync}.
     *
     * @param type the type of the job
     * @param jobId its id
     * @param timeout how long to wait; zero to check once
     * @param <R> the type of the result
     * @return the result; null if the job succeeded without one
     * @throws JobFailedException if the job has failed for good
     * @throws JobCancelledException if the job was cancelled
     * @throws JobNotFoundException if there is no such job, or nothing of it was kept after its end
     * @throws ResultTimeoutException if the job has not ended in time
     * @throws PayloadException if the stored result cannot be read as {@code R}
     * @throws java.util.concurrent.CancellationException if the thread is interrupted; it stays so
     * @throws IllegalStateException if the job has not ended and time is virtual, as in a {@code JobsTestKit}
     */
    public <R> @Nullable R result(JobType<?, R> type, String jobId, Duration timeout) {
        return ResultWaiter.join(internalInstance.environment(), resultAsync(type, jobId, timeout), type, jobId);
    }

    /**
     * Waits for a job to end, wherever it runs, and gives its result. If the job is added again before its result is
     * read, its next end counts. Cancelling the future ends the wait.
     *
     * @param type the type of the job
     * @param jobId its id
     * @param timeout how long to wait; zero to check once
     * @param <R> the type of the result
     * @return the result, null if the job succeeded without one; fails as {@link #result} does
     * @throws IllegalArgumentException if the timeout is negative
     */
    public <R> CompletableFuture<@Nullable R> resultAsync(JobType<?, R> type, String jobId, Duration timeout) {
        return ifOpen(() -> new ResultWaiter(internalInstance, notifiers, queryVerbs).await(type, jobId, timeout));
    }

    /**
     * Subscribes to the changes of a job, wherever they are made (RFC 007, {@code subscribe}). No change is lost
     * between the state that the subscription reports and the first event. In a transaction of the caller's it sees
     * uncommitted writes, and every retry makes another subscription, each to be closed.
     *
     * @param context a database, or a transaction to join
     * @param type the type of the job
     * @param jobId its id
     * @param <D> the type of the data
     * @return the subscription, to be closed when no longer needed
     */
    public <D> CompletableFuture<Subscription<D>> subscribe(
            ReadTransactionContext context, JobType<D, ?> type, String jobId) {
        return ifOpen(() -> notifiers.subscribe(context, type, jobId));
    }

    private <T> CompletableFuture<T> ifOpen(Supplier<CompletableFuture<T>> verb) {
        return closed ? CompletableFuture.failedFuture(new CouchJobsClosedException()) : verb.get();
    }

    /** {@return a builder of a worker, which claims and runs jobs once {@link WorkerBuilder#start} is called} */
    public WorkerBuilder worker() {
        return new WorkerBuilder(internalInstance, host, acceptors, registry::add);
    }

    /**
     * Ends this instance: all verbs and calls that wait fail with {@link CouchJobsClosedException}. Verbs that have
     * begun run to their end. Workers end without waiting: their handlers are interrupted and their claims released, so
     * close workers first. Other claims expire unless another instance finishes them. The database stays open.
     */
    @Override
    public void close() {
        closed = true;
        CompletableFuture<?> workersEnded = registry.end();
        acceptors.close();
        notifiers.close();
        changeWaits.close();
        services.close();
        retentionService.close();
        internalInstance.looks().close();
        // The end of a worker still needs timers.
        var unused = workersEnded.thenRun(() -> environmentToClose.ifPresent(Environment::close));
    }
}
