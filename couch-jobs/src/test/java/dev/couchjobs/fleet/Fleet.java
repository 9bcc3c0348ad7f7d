package dev.couchjobs.fleet;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Schedule;
import dev.couchjobs.SelectionProgress;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.costs.MeasuredDatabase;
import dev.couchjobs.faults.VirtualStage;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Processes with a worker each, all of which handle the same types, and a client that adds jobs.
 *
 * <p>All of them use one database in virtual time, on which every answer takes a millisecond.
 */
final class Fleet implements AutoCloseable {
    private static final int WATCHES_OF_ALL = 1_000_000;
    private static final int TYPES_AT_ONCE = 500;
    private static final int SCHEDULES_AT_ONCE = 100;
    private static final int JOBS_AT_ONCE = 500;
    private static final String SCHEDULE = "schedule-";
    private static final String LARGE_TENANT = "large-";
    private static final String SMALL_TENANT = "small-";
    private static final Duration UNTIL_FIRING = Duration.ofMinutes(1);

    private final VirtualStage stage = new VirtualStage(17);
    private final MeasuredDatabase way = way();
    private final CouchJobs client = jobs(way);
    private final List<JobType<String, String>> types;
    private final int concurrency;
    private final Duration jobTakes;
    private final List<Node> processes = new ArrayList<>();
    private final List<MeasuredDatabase> stopped = new ArrayList<>();
    private final List<Waiter> waiters = new ArrayList<>();
    private final Map<String, Duration> added = new HashMap<>();
    private final List<Duration> waited = new ArrayList<>();
    private final List<Duration> waitedOfSmallTenant = new ArrayList<>();
    private final Map<String, Node> ranAt = new HashMap<>();
    private @Nullable Duration firstFiring;

    private record Node(MeasuredDatabase way, CouchJobs jobs, Worker worker) {}

    private record Waiter(MeasuredDatabase way, CouchJobs jobs, CompletableFuture<String> result) {}

    /**
     * Makes the types.
     *
     * @param types how many
     * @param timeout their activity timeout
     * @param concurrency how many jobs one process runs at a time
     * @param jobTakes how long each job runs
     */
    Fleet(int types, Duration timeout, int concurrency, Duration jobTakes) {
        this.types = IntStream.range(0, types)
                .mapToObj(number -> JobType.of("type-" + number, String.class, String.class))
                .toList();
        this.concurrency = concurrency;
        this.jobTakes = jobTakes;
        stage.database().options().setMaxWatches(WATCHES_OF_ALL); // one connection stands for all of theirs
        for (int from = 0; from < types; from += TYPES_AT_ONCE) {
            List<JobType<String, String>> some = this.types.subList(from, Math.min(types, from + TYPES_AT_ONCE));
            stage.await(stage.database()
                    .runAsync(tx -> CompletableFuture.allOf(some.stream()
                            .map(type -> client.types().setTypeTimeout(tx, type, timeout))
                            .toArray(CompletableFuture<?>[]::new))));
        }
    }

    private MeasuredDatabase way() {
        return new MeasuredDatabase(stage.database(), stage.time());
    }

    private CouchJobs jobs(MeasuredDatabase database) {
        return CouchJobs.builder(database.asDatabase())
                .environment(stage.environment())
                .build();
    }

    /** Starts processes, and lets them come to rest. */
    Fleet start(int count) {
        startNow(count);
        pass(Duration.ofMinutes(1));
        return this;
    }

    /** Starts processes. */
    void startNow(int count) {
        for (int i = 0; i < count; i++) {
            processes.add(process());
        }
    }

    private Node process() {
        MeasuredDatabase database = way();
        CouchJobs jobs = jobs(database);
        List<Node> self = new ArrayList<>();
        WorkerBuilder builder = jobs.worker().concurrency(concurrency).executor(stage.time());
        types.forEach(type -> builder.handleAsync(type, job -> run(job, self)));
        Node process = new Node(database, jobs, builder.start());
        self.add(process);
        return process;
    }

    private CompletableFuture<String> run(JobContext<String> job, List<Node> self) {
        Duration since = now().minus(due(job.id()));
        waited.add(since);
        if (job.id().startsWith(SMALL_TENANT)) {
            waitedOfSmallTenant.add(since);
        }
        ranAt.put(job.id(), self.get(0));
        CompletableFuture<String> done = new CompletableFuture<>();
        var unused = stage.time().schedule(() -> done.complete("done"), jobTakes.toNanos(), TimeUnit.NANOSECONDS);
        return done;
    }

    /** {@return when a job may begin: it was added here, or is that of a schedule that was} */
    private Duration due(String id) {
        return id.startsWith(SCHEDULE)
                ? Objects.requireNonNull(firstFiring, "no schedules")
                : Objects.requireNonNull(added.get(id), "not added here");
    }

    /** Ends all processes as an operator would, and starts as many anew. */
    void restart() {
        int count = processes.size();
        stop();
        start(count);
    }

    /** One process is heard of no more, but its jobs run on. */
    void silence() {
        processes.remove(0).jobs().close();
    }

    private void stop() {
        CompletableFuture<?>[] closed =
                processes.stream().map(each -> each.worker().closeAsync()).toArray(CompletableFuture<?>[]::new);
        stage.await(CompletableFuture.allOf(closed));
        processes.forEach(each -> each.jobs().close());
        processes.forEach(each -> stopped.add(each.way()));
        processes.clear();
    }

    /** Adds jobs of one type in one transaction. */
    void add(int type, int count) {
        List<NewJob<String>> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = "job-" + added.size();
            added.put(id, now());
            jobs.add(NewJob.of(types.get(type), "data").id(id));
        }
        Database database = way.asDatabase();
        var unused = count == 1
                ? stage.await(client.add(database, jobs.get(0)))
                : stage.await(client.addAll(database, jobs));
    }

    /** Adds many jobs of the first type for a tenant. */
    void addOfLargeTenant(int count) {
        for (int from = 0; from < count; from += JOBS_AT_ONCE) {
            List<NewJob<?>> some = new ArrayList<>();
            for (int i = from; i < Math.min(count, from + JOBS_AT_ONCE); i++) {
                added.put(LARGE_TENANT + i, now());
                some.add(NewJob.of(types.get(0), "data").id(LARGE_TENANT + i).turnKey(LARGE_TENANT));
            }
            stage.await(client.addAll(way.asDatabase(), some));
        }
    }

    /** Cancels half of the jobs that wait for the large tenant. */
    CompletableFuture<SelectionProgress> cancelHalf() {
        return client.control()
                .select(
                        types.get(0),
                        job -> job.state() == JobState.PENDING
                                && job.id().startsWith(LARGE_TENANT)
                                && job.id().hashCode() % 2 == 0)
                .cancel("too many");
    }

    /** Adds one job for another tenant. */
    void addOfSmallTenant() {
        String id = SMALL_TENANT + added.size();
        added.put(id, now());
        NewJob<String> job = NewJob.of(types.get(0), "data").id(id).turnKey(SMALL_TENANT);
        stage.await(client.add(way.asDatabase(), job));
    }

    /** {@return how long the jobs of the small tenant waited, the shortest first} */
    List<Duration> waitedOfSmallTenant() {
        return waitedOfSmallTenant.stream().sorted().toList();
    }

    /** Adds a job of the first type that is to begin soon: the first one uses a feature. */
    void addWithDeadline() {
        String id = "job-" + added.size();
        added.put(id, now());
        NewJob<String> job = NewJob.of(types.get(0), "data")
                .id(id)
                .startBefore(stage.environment().clock().instant().plusSeconds(60));
        stage.await(client.add(way.asDatabase(), job));
    }

    /**
     * Adds schedules of jobs of the first type, which all fire for the first time at one moment, and lets time pass
     * almost until then.
     *
     * @param rest what is left of the time until that moment
     */
    void addSchedules(int count, Duration rest) {
        Instant now = stage.environment().clock().instant();
        Instant first = now.truncatedTo(ChronoUnit.SECONDS).plus(UNTIL_FIRING);
        Duration firing = now().plus(Duration.between(now, first));
        firstFiring = firing;
        for (int from = 0; from < count; from += SCHEDULES_AT_ONCE) {
            List<Schedule> some = IntStream.range(from, Math.min(count, from + SCHEDULES_AT_ONCE))
                    .mapToObj(number -> Schedule.every(
                                    SCHEDULE + number, Duration.ofDays(1), NewJob.of(types.get(0), "data"))
                            .startingAt(first))
                    .toList();
            var unused = stage.await(way.asDatabase()
                    .runAsync(tx -> CompletableFuture.allOf(some.stream()
                            .map(each -> client.schedules().put(tx, each))
                            .toArray(CompletableFuture<?>[]::new))));
        }
        pass(firing.minus(now()).minus(rest));
    }

    /** Gives the first type another timeout. */
    void setTimeout(Duration timeout) {
        stage.await(client.types().setTypeTimeout(way.asDatabase(), types.get(0), timeout));
    }

    /** Starts processes without a worker, each of which waits for the end of a job of its own that is due later. */
    void startWaiting(int count, Duration later) {
        for (int i = 0; i < count; i++) {
            MeasuredDatabase database = way();
            CouchJobs jobs = jobs(database);
            Instant due = stage.environment().clock().instant().plus(later);
            String id = stage.await(client.add(
                            way.asDatabase(), NewJob.of(types.get(0), "data").at(due)))
                    .jobId();
            added.put(id, now().plus(later));
            waiters.add(new Waiter(database, jobs, jobs.resultAsync(types.get(0), id, later.multipliedBy(2))));
        }
    }

    /** {@return what the processes that wait have asked since it was begun to count} */
    Figures figuresOfWaiting() {
        return Figures.ofAll(waiters.stream().map(Waiter::way).toList());
    }

    /** {@return how many of the jobs that are waited for are known to have succeeded} */
    long heard() {
        return waiters.stream()
                .filter(each -> each.result().isDone() && !each.result().isCompletedExceptionally())
                .count();
    }

    void pass(Duration time) {
        stage.time().advance(time);
    }

    Duration now() {
        return Duration.ofNanos(stage.time().nanoTime());
    }

    /** Begins to count anew. */
    void forget() {
        stopped.clear();
        ways().forEach(MeasuredDatabase::forget);
        waiters.forEach(each -> each.way().forget());
        waited.clear();
        waitedOfSmallTenant.clear();
        ranAt.clear();
    }

    /** {@return what all processes and the client have asked since it was begun to count} */
    Figures figures() {
        return Figures.ofAll(ways().toList());
    }

    /** {@return how many tries have looked at all leases} */
    long looksAtLeases() {
        return ways().flatMap(way -> way.tries().stream())
                .filter(each -> each.readFrom().contains("watches_in_use"))
                .count();
    }

    /** {@return how many tries of activity monitors there were} */
    long triesOfMonitors() {
        return ways().flatMap(way -> way.tries().stream())
                .filter(each -> each.readFrom().containsAll(Set.of("in_use", "counts")))
                .count();
    }

    /** {@return what of that they have asked because of jobs} */
    Figures figuresOfJobs() {
        return Figures.ofJobs(ways().toList());
    }

    /** {@return what of that they have asked because of jobs, and by looks at the leases of types} */
    Figures figuresOfUse() {
        return Figures.ofUse(ways().toList());
    }

    /** {@return how long those jobs waited that have begun since it was begun to count, the shortest first} */
    List<Duration> waited() {
        return waited.stream().sorted().toList();
    }

    /** {@return how many processes ran those jobs} */
    long atWork() {
        return ranAt.values().stream().distinct().count();
    }

    private Stream<MeasuredDatabase> ways() {
        Stream<MeasuredDatabase> all =
                Stream.concat(stopped.stream(), processes.stream().map(Node::way));
        return Stream.concat(Stream.of(way), all);
    }

    @Override
    public void close() {
        stop();
        waiters.forEach(each -> each.jobs().close());
        client.close();
        stage.close();
    }
}
