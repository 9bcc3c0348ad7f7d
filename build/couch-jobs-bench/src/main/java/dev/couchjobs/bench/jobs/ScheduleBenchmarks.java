package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Schedule;
import dev.couchjobs.Worker;
import dev.couchjobs.bench.Table;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Measures how many firing times a second schedules have jobs for, beside the rate of jobs with a scheduled time in the
 * same run, and what many schedules cost while none fires.
 */
final class ScheduleBenchmarks {
    private static final JobType<String, Void> TYPE = JobType.of("bench", String.class);
    /** The numbers of schedules that are usually measured. */
    static final Integer[] COUNTS = {1, 1_000, 100_000};

    private static final int FEW = 1_000;
    private static final int PLAIN_JOBS = 20_000;
    private static final int FIRINGS_MIN = 20_000;
    private static final int FIRINGS_OF_ONE_MAX = 1_000;
    private static final int BATCH = 100;
    private static final Duration PERIOD = Duration.ofHours(1);
    private static final int IDLE_SECONDS = 5;
    private static final String PAYLOAD = "x".repeat(Load.PAYLOAD_BYTES);

    private final Database database;
    private int subspaces;

    ScheduleBenchmarks(Database database) {
        this.database = database;
    }

    /** A clock that goes on as the system's, from where it is set. */
    private static final class OffsetClock implements InstantSource {
        private volatile Duration offset = Duration.ZERO;

        @Override
        public Instant instant() {
            return Instant.now().plus(offset);
        }
    }

    /** The figures of one number of schedules. */
    private record Figures(double put, double fired, double overlapping, double idle) {}

    /** {@return a table: rates by the number of schedules} */
    String rates(String engine, Integer... counts) throws InterruptedException {
        Table table =
                new Table(engine + ": schedules", "put/s", "fired/s", "ratio", "overlapping/s", "ratio", "idle tx/s");
        plainRate(); // the warm-up
        measure(FEW);
        double plain = plainRate();
        table.add("none: jobs with a time", "-", number(plain), Table.ratio(plain, plain), "-", "-", "-");
        for (int count : counts) {
            Figures figures = measure(count);
            table.add(
                    String.format(Locale.ROOT, "%,d", count),
                    number(figures.put()),
                    number(figures.fired()),
                    Table.ratio(figures.fired(), plain),
                    number(figures.overlapping()),
                    Table.ratio(figures.overlapping(), plain),
                    String.format(Locale.ROOT, "%.1f", figures.idle()));
        }
        return table.toString();
    }

    private static String number(double rate) {
        return String.format(Locale.ROOT, "%,.0f", rate);
    }

    private double plainRate() throws InterruptedException {
        Subspace subspace = nextSubspace();
        try (CouchJobs jobs = jobs(database, subspace, new OffsetClock())) {
            Instant past = Instant.now().minusSeconds(60);
            ControlBenchmarks.addAll(
                    database, jobs, PLAIN_JOBS, n -> ControlBenchmarks.job(n).at(past));
            return run(jobs, PLAIN_JOBS);
        } finally {
            clear(subspace);
        }
    }

    private Figures measure(int count) throws InterruptedException {
        OffsetClock clock = new OffsetClock();
        Subspace subspace = nextSubspace();
        CountingDatabase counted = new CountingDatabase(database);
        double put;
        double idle;
        double fired;
        try {
            try (CouchJobs jobs = jobs(database, subspace, clock)) {
                put = put(jobs, count, schedule -> schedule);
            }
            try (CouchJobs jobs = jobs(counted.asDatabase(), subspace, clock);
                    Worker worker = jobs.worker().process(TYPE, job -> {}).start()) {
                TimeUnit.SECONDS.sleep(1); // the worker has found that there is nothing to do
                double before = counted.traffic().transactions();
                TimeUnit.SECONDS.sleep(IDLE_SECONDS);
                idle = (counted.traffic().transactions() - before) / IDLE_SECONDS;
                require(worker.stuckSlots() == 0);
            }
            fired = fire(subspace, clock, count);
        } finally {
            clear(subspace);
        }
        return new Figures(put, fired, overlapping(count), idle);
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new IllegalStateException("a handler is stuck");
        }
    }

    private double overlapping(int count) throws InterruptedException {
        OffsetClock clock = new OffsetClock();
        Subspace subspace = nextSubspace();
        try {
            try (CouchJobs jobs = jobs(database, subspace, clock)) {
                put(jobs, count, Schedule::overlapping);
            }
            return fire(subspace, clock, count);
        } finally {
            clear(subspace);
        }
    }

    /** {@return firings a second, of all that have come due at once} */
    private double fire(Subspace subspace, OffsetClock clock, int count) throws InterruptedException {
        clock.offset = clock.offset.plus(PERIOD.multipliedBy(firingsOfOne(count)));
        try (CouchJobs jobs = jobs(database, subspace, clock)) {
            return run(jobs, Math.min(count * firingsOfOne(count), FIRINGS_MIN));
        }
    }

    private static int firingsOfOne(int count) {
        return Math.min(FIRINGS_OF_ONE_MAX, Math.max(1, FIRINGS_MIN / count));
    }

    /** {@return schedules put a second} */
    private double put(CouchJobs jobs, int count, UnaryOperator<Schedule> option) {
        long began = System.nanoTime();
        for (int from = 0; from < count; from += BATCH) {
            int first = from;
            database.run(tx -> CompletableFuture.allOf(IntStream.range(first, Math.min(count, first + BATCH))
                            .mapToObj(number -> jobs.schedules().put(tx, option.apply(schedule(number, count))))
                            .toArray(CompletableFuture<?>[]::new))
                    .join());
        }
        return count / secondsSince(began);
    }

    private static Schedule schedule(int number, int count) {
        return Schedule.every("schedule-" + CouchJobsSystem.id(number), PERIOD, NewJob.of(TYPE, PAYLOAD))
                .makeUpFor(firingsOfOne(count));
    }

    private static double run(CouchJobs jobs, int count) throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(count);
        long began = System.nanoTime();
        Worker worker = jobs.worker()
                .concurrency(100)
                .process(TYPE, job -> ran.countDown())
                .start();
        ran.await();
        double rate = count / secondsSince(began);
        worker.close();
        return rate;
    }

    private static CouchJobs jobs(Database on, Subspace subspace, InstantSource clock) {
        Environment system = Environment.system();
        return CouchJobs.builder(on)
                .subspace(subspace)
                .environment(new Environment(clock, system.scheduler(), system.random()))
                .maxClockSkew(Duration.ofDays(36_500))
                .build();
    }

    private static double secondsSince(long began) {
        return (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    private void clear(Subspace subspace) {
        database.run(tx -> {
            tx.clear(subspace.range());
            return tx;
        });
    }

    private Subspace nextSubspace() {
        return new Subspace(Tuple.from("schedules", subspaces++));
    }
}
