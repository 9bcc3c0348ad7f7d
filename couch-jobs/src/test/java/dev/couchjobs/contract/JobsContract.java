package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Subscription;
import dev.couchjobs.fdb.testing.TestEngine;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What all topics share: one database per topic; per test a fresh prefix with two job types, {@link #INDEX} and
 * {@link #MAIL}, and an instance of the library, {@link #jobs}; and short words for what tests do all the time.
 *
 * <p>Leases are counted in real time, so that the suite also runs on a cluster. The types here have a timeout that no
 * test outlives; a test that needs a lease to run out sets a timeout of one second, for no longer than it needs that.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
@ParameterizedClass(name = "{0}")
@MethodSource("dev.couchjobs.fdb.testing.TestEngine#selected")
abstract class JobsContract {
    static final JobType<WorkData, ?> INDEX = JobType.of("index", WorkData.class);
    static final JobType<WorkData, ?> MAIL = JobType.of("mail", WorkData.class);

    /** Some present time for tests that bring their own clock. */
    static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

    /** How long a test waits for what must not come. */
    static final Duration SHORTLY = Duration.ofMillis(50);
    /** How long a test waits for what must come. */
    static final Duration LONG = Duration.ofSeconds(30);

    @Parameter
    TestEngine engine;

    Database database;
    Subspace prefix;
    CouchJobs jobs;
    private final List<CouchJobs> opened = new ArrayList<>();

    @BeforeParameterizedClassInvocation
    void openDatabase() {
        database = engine.open();
    }

    @BeforeEach
    void openJobs() {
        prefix = new Subspace(Tuple.from("couch-jobs-contract", UUID.randomUUID()));
        jobs = node();
        longLeases(INDEX);
        longLeases(MAIL);
    }

    @AfterEach
    void clearJobs() {
        opened.forEach(CouchJobs::close);
        opened.clear();
        commit(tx -> tx.clear(prefix.range()));
    }

    @AfterParameterizedClassInvocation
    void closeDatabase() {
        database.close();
    }

    // Instances

    /** One more instance on the same jobs, as another process would have it. */
    final CouchJobs node() {
        return node(Environment.system());
    }

    final CouchJobs node(InstantSource clock) {
        Environment system = Environment.system();
        return node(new Environment(clock, system.scheduler(), system.random()));
    }

    final CouchJobs node(Environment environment) {
        return node(database, environment);
    }

    final CouchJobs node(Database through, Environment environment) {
        CouchJobs node = CouchJobs.builder(through)
                .subspace(prefix)
                .environment(environment)
                .maxClockSkew(Duration.ofDays(36_500)) // the clocks of tests leap, and others stay
                .build();
        opened.add(node);
        return node;
    }

    /** Gives a type the shortest timeout there is, for a test that lets a lease run out. */
    final void shortLeases(JobType<?, ?> type) {
        await(jobs.types().setTypeTimeout(database, type, Duration.ofSeconds(1)));
    }

    /** Gives a type a timeout that no test outlives. */
    final void longLeases(JobType<?, ?> type) {
        await(jobs.types().setTypeTimeout(database, type, Duration.ofMinutes(10)));
    }

    /**
     * Lets the leases of all run out that hold jobs of a type, and from then on nobody's: what a test does before and
     * after takes as long as it takes.
     *
     * @param subscriptions to jobs that are running now
     */
    final void awaitSilence(JobType<WorkData, ?> type, List<Subscription<WorkData>> subscriptions) {
        shortLeases(type);
        node().maintenance()
                .monitor(type); // that of another instance would look when the lease that it knows is about to run out
        for (Subscription<WorkData> subscription : subscriptions) {
            assertThat(await(subscription.awaitEvent(JobState.PENDING, LONG))).isPresent();
        }
        longLeases(type);
    }

    // Jobs of type INDEX

    final void add(String jobId, int step) {
        await(jobs.add(database, INDEX, jobId, new WorkData(step)));
    }

    /** Adds jobs {@code j0}, {@code j1}, ... in one transaction, with their numbers as their data. */
    final void addMany(int count) {
        await(database.runAsync(tx -> CompletableFuture.allOf(IntStream.range(0, count)
                .mapToObj(i -> jobs.add(tx, INDEX, "j" + i, new WorkData(i)))
                .toArray(CompletableFuture<?>[]::new))));
    }

    final void addAt(String jobId, int step, Instant scheduledTime) {
        await(jobs.add(database, NewJob.of(INDEX, new WorkData(step)).id(jobId).at(scheduledTime)));
    }

    final Job<WorkData> accepted(String jobId, int step) {
        add(jobId, step);
        Job<WorkData> job = accept();
        assertThat(job.id()).isEqualTo(jobId);
        return job;
    }

    /** A job that is there, whatever its scheduled time. */
    final Job<WorkData> accept() {
        return tryAccept().orElseThrow(() -> new AssertionError("There was no job to accept"));
    }

    final Optional<Job<WorkData>> tryAccept() {
        return await(jobs.processor()
                .accept(INDEX, AcceptOptions.nonBlocking().maxSchedTime(Instant.ofEpochSecond(Integer.MAX_VALUE))));
    }

    final JobState stateOf(String jobId) {
        return await(jobs.getJobState(database, INDEX, jobId));
    }

    final int stepOf(String jobId) {
        return await(jobs.getJobData(database, INDEX, jobId))
                .map(WorkData::step)
                .orElseThrow(() -> new AssertionError("There is no job " + jobId));
    }

    final Optional<Instant> scheduledTimeOf(String jobId) {
        return all(database, INDEX).stream()
                .filter(job -> job.jobId().equals(jobId))
                .findFirst()
                .orElseThrow(() -> new AssertionError("There is no job " + jobId))
                .scheduledTime();
    }

    /** All jobs of a type in the order of their ids, however many pages they fill. */
    final List<JobSummary> all(ReadTransactionContext context, JobType<?, ?> type) {
        List<JobSummary> all = new ArrayList<>();
        Optional<PageRequest> request = Optional.of(PageRequest.of(PageRequest.LIMIT_MAX));
        while (request.isPresent()) {
            Page<JobSummary> page = await(jobs.list(context, type, request.get()));
            all.addAll(page.items());
            request = page.next().map(request.get()::after);
        }
        return all;
    }

    final Subscription<WorkData> subscribe(String jobId) {
        return await(jobs.subscribe(database, INDEX, jobId));
    }

    // Transactions and futures

    /** Runs and commits, again if FoundationDB asks for it. */
    final void commit(Consumer<Transaction> body) {
        database.run(tx -> {
            body.accept(tx);
            return true;
        });
    }

    /** A key of the caller's own. */
    final byte[] key(String name) {
        return prefix.pack(name);
    }

    final boolean isWritten(String name) {
        return await(database.readAsync(tx -> tx.get(key(name)))) != null;
    }

    static <T> T await(CompletableFuture<T> future) {
        return Futures.await(future);
    }

    static Throwable failureOf(CompletableFuture<?> future) {
        return Futures.failureOf(future);
    }
}
