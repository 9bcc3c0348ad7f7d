package dev.couchjobs.bench.cluster;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.fdb.Databases;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Adds and runs jobs that do nothing, as fast as it goes; only so many are unfinished at a time. */
final class ClusterLoad implements AutoCloseable {
    private static final String PAYLOAD = "x".repeat(100);

    private final ClusterSettings.Pace pace;
    private final List<JobType<String, Void>> types;
    private final Semaphore permits;
    private final int permitCount;
    private final AtomicInteger added = new AtomicInteger();
    private final List<Member> members = new ArrayList<>();
    private final ExecutorService producers;

    /** Starts the workers of a point. */
    ClusterLoad(Path clusterFile, ClusterSettings.Point point) {
        pace = point.pace();
        types = IntStream.range(0, point.types()).mapToObj(ClusterLoad::type).toList();
        permitCount = pace.unfinished() * point.workers();
        permits = new Semaphore(permitCount);
        producers = Executors.newFixedThreadPool(point.workers());
        for (int i = 0; i < point.workers(); i++) {
            members.add(new Member(Databases.cluster(clusterFile)));
        }
    }

    static JobType<String, Void> type(int number) {
        return JobType.of("bench-" + number, String.class);
    }

    /** Runs jobs for a time and until all of them have ended; returns how many. */
    int run(Duration time) throws InterruptedException, ExecutionException {
        int before = added.get();
        long until = System.nanoTime() + time.toNanos();
        List<Future<?>> all = new ArrayList<>();
        for (Member member : members) {
            all.add(producers.submit(() -> member.add(until)));
        }
        for (Future<?> producer : all) {
            producer.get();
        }
        permits.acquire(permitCount);
        permits.release(permitCount);
        return added.get() - before;
    }

    @Override
    public void close() {
        producers.shutdownNow();
        members.forEach(Member::close);
    }

    /** A producer and a worker, if there is one, with a connection of their own, like a process. */
    private final class Member {
        private final Database database;
        private final CouchJobs jobs;
        private final Optional<Worker> worker;

        Member(Database database) {
            this.database = database;
            jobs = CouchJobs.on(database);
            worker = pace == ClusterSettings.Pace.SOLO ? Optional.empty() : Optional.of(work());
        }

        private Worker work() {
            WorkerBuilder builder = jobs.worker().concurrency(pace.batch());
            types.forEach(type -> builder.process(type, job -> permits.release()));
            return builder.start();
        }

        void add(long until) {
            while (System.nanoTime() < until) {
                permits.acquireUninterruptibly(pace.batch());
                int turn = added.getAndAdd(pace.batch()) / pace.batch();
                JobType<String, Void> type = types.get(Math.floorMod(turn, types.size()));
                switch (pace) {
                    case SOLO, SLOT -> {
                        var unused = jobs.add(database, type, PAYLOAD).join();
                    }
                    case AT_ONCE ->
                        CompletableFuture.allOf(Stream.generate(() -> jobs.add(database, type, PAYLOAD))
                                        .limit(pace.batch())
                                        .toArray(CompletableFuture<?>[]::new))
                                .join();
                    case BATCHED ->
                        jobs.addAll(database, Collections.nCopies(pace.batch(), NewJob.of(type, PAYLOAD)))
                                .join();
                }
                if (worker.isEmpty()) {
                    run(type);
                }
            }
        }

        /** Each call follows the addition of a job, so that there is one for it. */
        private void run(JobType<String, Void> type) {
            Job<String> job = jobs.processor().accept(type).join().orElseThrow();
            jobs.processor().finish(database, job).join();
            permits.release();
        }

        void close() {
            worker.ifPresent(Worker::close);
            jobs.close();
            database.close();
        }
    }
}
