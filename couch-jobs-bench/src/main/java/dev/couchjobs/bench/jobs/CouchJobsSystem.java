package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Our own jobs, on any FoundationDB. */
final class CouchJobsSystem implements JobSystem {
    private static final int CONCURRENCY = 200;
    private static final Duration ACTIVITY_TIMEOUT = Duration.ofSeconds(30);
    private static final int FIRST_ID = 1_000_000_000;
    static final long QUIET_MILLIS = 10;

    static final String SETTINGS = "fdb-embedded, every commit synced; " + CONCURRENCY
            + " jobs at once in each instance, activity timeout " + ACTIVITY_TIMEOUT.toSeconds() + " s";

    private static final JobType<String, Void> TYPE = JobType.of("bench", String.class);

    private final Database database;
    private final Database forInstances;
    private final CouchJobs jobs;

    /**
     * On a database, which is closed with this.
     *
     * @param forInstances the way to it that instances take, if there is another
     */
    CouchJobsSystem(Database database, Database forInstances) {
        this.database = database;
        this.forInstances = forInstances;
        jobs = CouchJobs.on(database);
        jobs.setTypeTimeout(database, TYPE, ACTIVITY_TIMEOUT).join();
    }

    @Override
    public Member join() {
        return new Member(forInstances);
    }

    @Override
    public boolean areFinished(List<Integer> numbers) {
        return database.run(tx -> {
            List<CompletableFuture<JobState>> states = numbers.stream()
                    .map(number -> jobs.getJobState(tx, TYPE, id(number)))
                    .toList();
            return states.stream().allMatch(state -> state.join() == JobState.FINISHED);
        });
    }

    @Override
    public long unfinished() {
        long unfinished = 0;
        Optional<PageRequest> request = Optional.of(PageRequest.of(PageRequest.LIMIT_MAX));
        while (request.isPresent()) {
            Page<JobSummary> page = jobs.list(database, TYPE, request.get()).join();
            unfinished += page.items().stream()
                    .filter(job -> job.state() != JobState.FINISHED)
                    .count();
            request = page.next().map(request.get()::after);
        }
        return unfinished;
    }

    @Override
    public void close() {
        jobs.close();
        database.close();
    }

    /** How long an instance may be silent. */
    void setActivityTimeout(Duration timeout) {
        jobs.setTypeTimeout(database, TYPE, timeout).join();
    }

    /** Of one length, so that the order of the ids is that of the numbers, as with ids made from the time. */
    private static String id(int number) {
        return Integer.toString(FIRST_ID + number);
    }

    /** One process of ours. */
    static final class Member implements Instance {
        private final Database database;
        private final CouchJobs jobs;
        private @Nullable Worker worker;

        Member(Database database) {
            this.database = database;
            jobs = CouchJobs.on(database);
        }

        @Override
        public void add(int number) {
            jobs.add(database, TYPE, id(number), PAYLOAD).join();
        }

        @Override
        public void addAll(int first, int count) {
            jobs.addAll(
                            database,
                            IntStream.range(first, first + count)
                                    .mapToObj(number -> NewJob.of(TYPE, PAYLOAD).id(id(number)))
                                    .toList())
                    .join();
        }

        @Override
        public void work(IntConsumer handler) {
            worker = jobs.worker()
                    .process(TYPE, job -> handler.accept(number(job)))
                    .concurrency(CONCURRENCY)
                    .start();
        }

        /** Begins as many jobs as that, which then run without end. */
        void hold(int count, IntConsumer handler) {
            worker = jobs.worker()
                    .handleAsync(TYPE, job -> {
                        handler.accept(number(job));
                        return new CompletableFuture<>();
                    })
                    .concurrency(count)
                    .closeWithin(Duration.ZERO)
                    .start();
        }

        private static int number(JobContext<String> job) {
            return Integer.parseInt(job.id()) - FIRST_ID;
        }

        @Override
        public void close() {
            if (worker != null) {
                worker.close();
            }
            jobs.close();
        }
    }
}
