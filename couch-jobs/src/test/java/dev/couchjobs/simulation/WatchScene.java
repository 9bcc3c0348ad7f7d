package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Subscription;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.WorkerState;
import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.loop.WatchLooks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Processes whose watches never fire, and whatever they wait for. */
final class WatchScene implements AutoCloseable {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final JobType<String, String> SMS = JobType.of("sms", String.class, String.class);
    private static final String WORKER = "worker";
    private static final Duration TIMEOUT = Duration.ofHours(5);
    private static final Duration STEP = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofHours(2);
    /** Loops have begun their waits then, and the first looks are over. */
    private static final Duration REST = Duration.ofSeconds(100);

    private static final Duration AT_MOST = Duration.ofMinutes(20);
    /** More jobs than a process follows by their rows, and more dependents than the end of a job releases. */
    private static final int MANY = 150;

    private final Simulation simulation =
            Simulation.builder(1).calm().with(Fault.ORPHANED_WATCH, 1).build();
    private final CouchJobs jobs = instance(simulation.process("first"));
    private final CouchJobs second = instance(simulation.process("second"));
    private final CouchJobs others = instance(simulation.process("others"));
    private final Database database = simulation.database();

    /**
     * Something that is awaited.
     *
     * @param change makes it happen
     */
    record Awaited(Runnable change, BooleanSupplier isServed) {}

    WatchScene() {
        await(others.types().setTypeTimeout(database, MAIL, TIMEOUT));
    }

    private static CouchJobs instance(SimulatedProcess process) {
        return CouchJobs.builder(process.database())
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .build();
    }

    private <T> T await(CompletableFuture<T> future) {
        return simulation.await(future);
    }

    private Awaited awaited(CompletableFuture<?> future, Runnable change) {
        return new Awaited(change, future::isDone);
    }

    private void add(String id) {
        await(others.add(database, MAIL, id, "data"));
    }

    private Job<String> claim(CouchJobs by) {
        return await(by.processor().accept(MAIL, AcceptOptions.nonBlocking())).orElseThrow();
    }

    /** Lets all waits begin. */
    void rest() {
        simulation.advance(REST);
    }

    Duration timeUntil(BooleanSupplier isServed) {
        Duration before = simulation.elapsed();
        simulation.runUntilIdle();
        while (!isServed.getAsBoolean()) {
            simulation.advance(STEP);
            assertThat(simulation.elapsed().minus(before)).isLessThan(AT_MOST);
        }
        return simulation.elapsed().minus(before);
    }

    private WorkerBuilder worker(CouchJobs by) {
        return by.worker().name(WORKER).concurrency(1).executor(simulation.scheduler());
    }

    /** {@return the starts of jobs, which do not end} */
    private List<JobContext<String>> startWorker(CouchJobs by) {
        List<JobContext<String>> started = new ArrayList<>();
        worker(by)
                .handleAsync(MAIL, job -> {
                    started.add(job);
                    return new CompletableFuture<>();
                })
                .start();
        return started;
    }

    Awaited newJob() {
        return awaited(jobs.processor().accept(MAIL), () -> add("job"));
    }

    /** The leader claims one of two jobs and leaves the other to the follower. */
    Awaited follower() {
        List<JobContext<String>> one = startWorker(jobs);
        rest();
        List<JobContext<String>> another = startWorker(second);
        return new Awaited(
                () -> {
                    add("a");
                    add("b");
                    timeUntil(() -> one.size() + another.size() > 0);
                },
                () -> one.size() + another.size() == 2);
    }

    Awaited resumedType() {
        await(others.types().pause(database, MAIL, "a test"));
        add("job");
        return awaited(jobs.processor().accept(MAIL), () -> await(others.types().resume(database, MAIL)));
    }

    Awaited endOfAnotherJob() {
        await(others.limits().setTotal(database, MAIL, 1));
        add("a");
        add("b");
        Job<String> first = claim(others);
        return awaited(
                jobs.processor().accept(MAIL),
                () -> await(others.processor().finishWithResult(database, MAIL, first, "done")));
    }

    Awaited lostClaim() {
        add("job");
        List<JobContext<String>> started = startWorker(jobs);
        return new Awaited(
                () -> await(others.control().cancel(database, MAIL, "job", "a test")),
                () -> started.get(0).isCancelled());
    }

    /** Heartbeats come in time for the new timeout, which is hardly longer than the bound. */
    Awaited shorterTimeout() {
        Duration shorter = WatchLooks.BOUND.plusSeconds(10);
        add("job");
        List<JobContext<String>> started = startWorker(jobs);
        return new Awaited(
                () -> {
                    await(others.types().setTypeTimeout(database, MAIL, shorter));
                    others.maintenance().monitor(MAIL);
                    simulation.advance(shorter.multipliedBy(4));
                },
                () -> started.size() == 1
                        && state("job") == JobState.RUNNING
                        && simulation.elapsed().compareTo(shorter.multipliedBy(4)) > 0);
    }

    private JobState state(String id) {
        return await(others.getJobState(database, MAIL, id));
    }

    private Versionstamp now() {
        return await(others.changes().now(database));
    }

    Awaited changeOfType() {
        return awaited(jobs.changes().await(MAIL, now(), LONG), () -> add("job"));
    }

    Awaited changeOfAnyType() {
        await(others.types().setTypeTimeout(database, SMS, TIMEOUT));
        return awaited(jobs.changes().await(now(), LONG), () -> await(others.add(database, SMS, "job", "data")));
    }

    Awaited changeOfOneOfManyJobs() {
        List<CompletableFuture<Optional<JobEvent<String>>>> changes =
                IntStream.range(0, MANY).mapToObj(i -> changeOf("job-" + i)).toList();
        return awaited(changes.get(0), () -> await(others.remove(database, MAIL, "job-0")));
    }

    Awaited changeOfJob() {
        return awaited(changeOf("job"), () -> await(others.remove(database, MAIL, "job")));
    }

    private CompletableFuture<Optional<JobEvent<String>>> changeOf(String id) {
        add(id);
        Subscription<String> subscription = await(jobs.subscribe(database, MAIL, id));
        return subscription.awaitEvent(LONG);
    }

    Awaited order() {
        worker(jobs).handle(MAIL, job -> "done").start();
        return new Awaited(
                () -> await(others.workers().pause(database, WORKER)),
                () -> await(others.workers().list(database, PageRequest.of(1))).items().stream()
                        .allMatch(worker -> worker.state() == WorkerState.PAUSED));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the transaction returns it
    Awaited orderForRemoteWorker() {
        SimulatedProcess server = simulation.process("server");
        CouchJobs remote = instance(server);
        CompletableFuture<Void> ordered = await(server.database()
                .runAsync(
                        tx -> CompletableFuture.completedFuture(remote.workers().watchOrders(tx, WORKER))));
        return awaited(ordered, () -> await(others.workers().pause(database, WORKER)));
    }

    Awaited releasedDependent() {
        add("first");
        await(others.addAll(
                database,
                IntStream.range(0, MANY)
                        .mapToObj(i -> NewJob.of(MAIL, "data")
                                .id("then-" + i)
                                .after(Dependency.on(MAIL, "first").ifUnsuccessful(DependencyPolicy.FAIL)))
                        .toList()));
        jobs.maintenance().monitor(MAIL);
        return new Awaited(
                () -> await(others.remove(database, MAIL, "first")),
                () -> IntStream.range(0, MANY).allMatch(i -> state("then-" + i) == JobState.FINISHED));
    }

    /** A job whose holder is gone is put back, by a process that has seen its type without jobs. */
    Awaited typeInUse() {
        Duration timeout = Duration.ofSeconds(2);
        jobs.maintenance().monitor(SMS);
        return new Awaited(
                () -> {
                    await(others.types().setTypeTimeout(database, SMS, timeout));
                    await(others.add(database, SMS, "job", "data"));
                    var unused = await(others.processor().accept(SMS, AcceptOptions.nonBlocking()))
                            .orElseThrow();
                    others.close();
                },
                () -> await(second.getJobState(database, SMS, "job")) == JobState.PENDING);
    }

    @Override
    public void close() {
        simulation.close();
    }
}
