package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Worker;
import dev.couchjobs.bench.Table;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Measures how long a tenant with ten jobs waits behind the backlog of another, and what a claim costs by the number of
 * waiting turn keys.
 */
final class TurnBenchmarks {
    private static final JobType<String, Void> TYPE = JobType.of("bench", String.class);
    private static final List<Integer> BACKLOGS = List.of(1_000, 10_000, 100_000);
    private static final List<Integer> KEYS = List.of(1, 10, 1_000, 100_000);
    private static final int SMALL_JOBS = 10;
    private static final int SLOTS = 16;
    private static final long JOB_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final String PAYLOAD = "x".repeat(Load.PAYLOAD_BYTES);
    private static final int MEASURED_JOBS = 5_000;

    private final Database database;
    private int subspaces;

    TurnBenchmarks(Database database) {
        this.database = database;
    }

    /** {@return a table: after which time the jobs of the small tenant have started} */
    String waitingTimes(String engine) throws InterruptedException {
        Table table = new Table(
                engine + ": backlog of the large tenant",
                "first of 10 after ms",
                "last after ms",
                "with turn keys: first",
                "last");
        waitingTime(BACKLOGS.get(0), true); // the warm-up
        for (int backlog : BACKLOGS) {
            long[] without = waitingTime(backlog, false);
            long[] with = waitingTime(backlog, true);
            table.add(
                    String.format(Locale.ROOT, "%,d", backlog),
                    text(without[0]),
                    text(without[1]),
                    text(with[0]),
                    text(with[1]));
        }
        return table.toString();
    }

    private static String text(long milliseconds) {
        return String.format(Locale.ROOT, "%,d", milliseconds);
    }

    private long[] waitingTime(int backlog, boolean hasTurnKeys) throws InterruptedException {
        try (CouchJobs jobs =
                CouchJobs.builder(database).subspace(nextSubspace()).build()) {
            ControlBenchmarks.addAll(database, jobs, backlog, n -> job("large", n, hasTurnKeys));
            CountDownLatch started = new CountDownLatch(SMALL_JOBS);
            CountDownLatch warm = new CountDownLatch(SLOTS * SLOTS);
            long[] first = new long[1];
            Worker worker = jobs.worker()
                    .concurrency(SLOTS)
                    .process(TYPE, job -> {
                        warm.countDown();
                        if (job.id().startsWith("small")) {
                            first[0] = first[0] == 0 ? System.nanoTime() : first[0];
                            started.countDown();
                        }
                        LockSupport.parkNanos(JOB_NANOS);
                    })
                    .start();
            warm.await();
            long began = System.nanoTime();
            ControlBenchmarks.addAll(database, jobs, SMALL_JOBS, n -> job("small", n, hasTurnKeys));
            started.await();
            long ended = System.nanoTime();
            worker.close();
            return new long[] {
                TimeUnit.NANOSECONDS.toMillis(first[0] - began), TimeUnit.NANOSECONDS.toMillis(ended - began)
            };
        }
    }

    private static NewJob<String> job(String tenant, int number, boolean hasTurnKey) {
        NewJob<String> job = NewJob.of(TYPE, PAYLOAD).id(tenant + "-" + CouchJobsSystem.id(number));
        return hasTurnKey ? job.turnKey(tenant) : job.priority(1); // the queue of priorities is ordered by age
    }

    /** {@return a table: jobs a second by the number of waiting keys} */
    String rates(String engine) throws InterruptedException {
        Table table = new Table(engine + ": waiting turn keys", "run/s", "ratio");
        rate(n -> ControlBenchmarks.job(n)); // the warm-up
        double without = rate(n -> ControlBenchmarks.job(n));
        table.add("none", String.format(Locale.ROOT, "%,.0f", without), Table.ratio(without, without));
        for (int keys : KEYS) {
            double rate = rate(n -> ControlBenchmarks.job(n).turnKey("key-" + n % keys));
            table.add(
                    String.format(Locale.ROOT, "%,d", keys),
                    String.format(Locale.ROOT, "%,.0f", rate),
                    Table.ratio(rate, without));
        }
        return table.toString();
    }

    /** One worker runs some of 100,000 jobs. */
    private double rate(IntFunction<NewJob<String>> job) throws InterruptedException {
        try (CouchJobs jobs =
                CouchJobs.builder(database).subspace(nextSubspace()).build()) {
            ControlBenchmarks.addAll(database, jobs, KEYS.get(KEYS.size() - 1), job);
            CountDownLatch ran = new CountDownLatch(MEASURED_JOBS);
            long began = System.nanoTime();
            Worker worker = jobs.worker()
                    .concurrency(100)
                    .process(TYPE, each -> ran.countDown())
                    .start();
            ran.await();
            double rate = MEASURED_JOBS / ((System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1));
            worker.close();
            return rate;
        }
    }

    private Subspace nextSubspace() {
        return new Subspace(Tuple.from("turns", subspaces++));
    }
}
