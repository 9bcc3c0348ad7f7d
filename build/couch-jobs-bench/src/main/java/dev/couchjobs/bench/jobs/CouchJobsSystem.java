package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** couch-jobs, on any FoundationDB. */
class CouchJobsSystem implements JobSystem {
    private static final int CONCURRENCY = 200;
    private static final Duration ACTIVITY_TIMEOUT = Duration.ofSeconds(30);
    private static final int FIRST_ID = 1_000_000_000;
    private static final int COUNTED_AT_ONCE = 100;

    static final String SETTINGS =
            CONCURRENCY + " jobs at once in each instance, activity timeout " + ACTIVITY_TIMEOUT.toSeconds() + " s";

    private final Database database;
    private final Subspace subspace;
    private final Load load;
    private final List<JobType<String, Void>> types;
    private final String[] payloads;
    private final CouchJobs jobs;

    /** Uses a subspace of a database, and closes the database on close. */
    CouchJobsSystem(Database database, Subspace subspace, Load load) {
        this.database = database;
        this.subspace = subspace;
        this.load = load;
        payloads = load.payloads();
        jobs = jobsOn(database);
        types = IntStream.range(0, load.types())
                .mapToObj(type -> JobType.of("bench-" + type, String.class))
                .toList();
        setActivityTimeout(ACTIVITY_TIMEOUT);
    }

    private CouchJobs jobsOn(Database connection) {
        return CouchJobs.builder(connection).subspace(subspace).build();
    }

    @Override
    public Member join() {
        return join(database);
    }

    /** Opens another connection to the database, like another process; closing this closes it. */
    Database connect() {
        return database; // the engine in this process has no connections
    }

    /** An instance that uses another connection to the database. */
    Member join(Database connection) {
        return new Member(connection, jobsOn(connection));
    }

    @Override
    public boolean areFinished(List<Integer> numbers) {
        return database.run(tx -> {
            List<CompletableFuture<JobState>> states = numbers.stream()
                    .map(number -> jobs.getJobState(tx, type(number), id(number)))
                    .toList();
            return states.stream().allMatch(state -> state.join() == JobState.FINISHED);
        });
    }

    @Override
    public long unfinished() {
        return IntStream.iterate(0, from -> from < types.size(), from -> from + COUNTED_AT_ONCE)
                .mapToLong(from -> unfinished(types.subList(from, Math.min(types.size(), from + COUNTED_AT_ONCE))))
                .sum();
    }

    private long unfinished(List<JobType<String, Void>> countedTypes) {
        return database.run(tx -> {
            List<CompletableFuture<JobCounts>> counts =
                    countedTypes.stream().map(type -> jobs.counts(tx, type)).toList();
            return counts.stream()
                    .map(CompletableFuture::join)
                    .mapToLong(count -> count.pending() + count.blocked() + count.running())
                    .sum();
        });
    }

    @Override
    public void close() {
        jobs.close();
        database.close();
    }

    /** Sets the activity timeout of all types. */
    void setActivityTimeout(Duration timeout) {
        types.forEach(
                type -> jobs.types().setTypeTimeout(database, type, timeout).join());
    }

    private JobType<String, Void> type(int number) {
        return types.get(load.type(number));
    }

    /** Ids have the same length, so that they sort like their numbers, as time-based ids do. */
    static String id(int number) {
        return Integer.toString(FIRST_ID + number);
    }

    private String payload(int number) {
        return payloads[number % payloads.length];
    }

    /** An instance of couch-jobs. */
    final class Member implements Instance {
        private final Database connection;
        private final CouchJobs couchJobs;
        private @Nullable Worker worker;

        Member(Database connection, CouchJobs couchJobs) {
            this.connection = connection;
            this.couchJobs = couchJobs;
        }

        @Override
        public void add(int number) {
            couchJobs.add(connection, type(number), id(number), payload(number)).join();
        }

        @Override
        public void addAll(int first, int count) {
            couchJobs
                    .addAll(
                            connection,
                            IntStream.range(first, first + count)
                                    .mapToObj(number -> NewJob.of(type(number), payload(number))
                                            .id(id(number)))
                                    .toList())
                    .join();
        }

        @Override
        public void work(IntConsumer handler) {
            WorkerBuilder builder = couchJobs.worker().concurrency(load.slots(CONCURRENCY));
            types.forEach(type -> builder.process(type, job -> handler.accept(number(job))));
            worker = builder.start();
        }

        /** Begins that many jobs, which run without end. */
        void hold(int count, IntConsumer handler) {
            WorkerBuilder builder = couchJobs.worker().concurrency(count).shutdownTimeout(Duration.ZERO);
            types.forEach(type -> builder.handleAsync(type, job -> {
                handler.accept(number(job));
                return new CompletableFuture<>();
            }));
            worker = builder.start();
        }

        /** Runs up to {@code slots} jobs at a time, each until the future of the handler completes. */
        void work(int slots, IntFunction<CompletableFuture<Void>> handler) {
            WorkerBuilder builder = couchJobs.worker().concurrency(slots);
            types.forEach(type -> builder.handleAsync(type, job -> handler.apply(number(job))));
            worker = builder.start();
        }

        /** Waits for the result of a job, at most for the timeout. */
        CompletableFuture<Void> result(int number, Duration timeout) {
            return couchJobs.resultAsync(type(number), id(number), timeout);
        }

        private static int number(JobContext<String> job) {
            return Integer.parseInt(job.id()) - FIRST_ID;
        }

        @Override
        public void close() {
            if (worker != null) {
                worker.close();
            }
            couchJobs.close();
        }
    }
}
