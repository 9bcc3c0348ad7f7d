package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Batch;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobStatus;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Worker;
import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.DirectoryFiles;
import dev.couchjobs.bench.Table;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Measures what very many jobs of a full limit key, members of a batch, schedules and indexed jobs cost, on disk, by
 * one instance of 100 slots.
 */
public final class ScaleBenchmarks {
    private static final JobType<String, Void> TYPE = JobType.of("bench", String.class);
    private static final JobType<String, Void> CLOSING = JobType.of("closing", String.class);
    private static final int SLOTS = 100;
    private static final int OTHER_JOBS = 20_000;
    private static final int FEW = 1_000;
    private static final int CALLS = 200;

    private final Database database;
    private int subspaces;

    private ScaleBenchmarks(Database database) {
        this.database = database;
    }

    /**
     * Measures, and prints tables.
     *
     * @param words the options of {@link ControlSettings}; {@code --jobs} says how many
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws IOException if a file cannot be written
     * @throws InterruptedException if its thread is interrupted
     */
    public static void main(String... words) throws IOException, InterruptedException {
        ControlSettings settings = ControlSettings.parse(words);
        int count = settings.jobs();
        Path directory = Files.createTempDirectory(settings.directory(), "couch-jobs-bench");
        try (Database database = Databases.directory(directory)) {
            ScaleBenchmarks scale = new ScaleBenchmarks(database);
            System.out.println(scale.fullKey(count));
            System.out.println(scale.batch(count));
            System.out.println(scale.statuses(count));
            System.out.println(new ScheduleBenchmarks(database).rates("in a directory", count));
        } finally {
            DirectoryFiles.delete(directory);
        }
    }

    /** Runs jobs of one key beside those of another that wait for its slot. */
    private Table fullKey(int count) throws InterruptedException {
        Table table = new Table("jobs of a full key", "added/s", "others run/s");
        for (int waiting : new int[] {FEW, FEW, count}) { // the first is the warm-up
            Subspace subspace = nextSubspace();
            try (CouchJobs jobs = jobs(subspace)) {
                jobs.limits().set(database, TYPE, SLOTS).join();
                jobs.limits().set(database, TYPE, "full", 1).join();
                long began = System.nanoTime();
                ControlBenchmarks.addAll(
                        database,
                        jobs,
                        waiting,
                        n -> ControlBenchmarks.job(n).id("full-" + n).limitKey("full"));
                double added = waiting / secondsSince(began);
                var unused = jobs.processor().accept(TYPE).join(); // holds the slot
                ControlBenchmarks.addAll(
                        database,
                        jobs,
                        OTHER_JOBS,
                        n -> ControlBenchmarks.job(n).limitKey("other"));
                table.add(number(waiting), number(added), number(run(jobs, OTHER_JOBS)));
            } finally {
                clear(subspace);
            }
        }
        return table;
    }

    private Table batch(int count) throws InterruptedException {
        Table table = new Table("members of a batch", "added/s", "run/s", "ms to the closing job");
        for (int members : new int[] {FEW, FEW, count}) {
            Subspace subspace = nextSubspace();
            try (CouchJobs jobs = jobs(subspace)) {
                jobs.batches()
                        .open(database, Batch.of("batch").closing(NewJob.of(CLOSING, "data")))
                        .join();
                long began = System.nanoTime();
                ControlBenchmarks.addAll(
                        database, jobs, members, n -> ControlBenchmarks.job(n).batch("batch"));
                double added = members / secondsSince(began);
                jobs.batches().seal(database, "batch").join();
                AtomicLong lastBegan = new AtomicLong();
                AtomicLong closed = new AtomicLong();
                CountDownLatch done = new CountDownLatch(members + 1);
                began = System.nanoTime();
                Worker worker = jobs.worker()
                        .concurrency(SLOTS)
                        .process(TYPE, job -> {
                            lastBegan.set(System.nanoTime());
                            done.countDown();
                        })
                        .process(CLOSING, job -> {
                            closed.set(System.nanoTime());
                            done.countDown();
                        })
                        .start();
                done.await();
                double run = members / secondsSince(began);
                worker.close();
                double millis = (closed.get() - lastBegan.get()) / (double) TimeUnit.MILLISECONDS.toNanos(1);
                table.add(number(members), number(added), number(run), String.format(Locale.ROOT, "%.1f", millis));
            } finally {
                clear(subspace);
            }
        }
        return table;
    }

    private Table statuses(int count) {
        Table table = new Table("jobs indexed by status", "indexed/s", "ms a page of 100", "ms the counts");
        for (int indexed : new int[] {FEW, FEW, count}) {
            Subspace subspace = nextSubspace();
            try (CouchJobs jobs = jobs(subspace)) {
                ControlBenchmarks.addAll(database, jobs, indexed, ControlBenchmarks::job);
                long began = System.nanoTime();
                jobs.statuses().index(TYPE).join();
                double rate = indexed / secondsSince(began);
                PageRequest page = PageRequest.of(100).newestFirst();
                double list = millisOf(() -> jobs.statuses()
                        .list(database, TYPE, JobStatus.WAITING, page)
                        .join());
                double counts =
                        millisOf(() -> jobs.statuses().counts(database, TYPE).join());
                table.add(
                        number(indexed),
                        number(rate),
                        String.format(Locale.ROOT, "%.2f", list),
                        String.format(Locale.ROOT, "%.2f", counts));
            } finally {
                clear(subspace);
            }
        }
        return table;
    }

    private static double millisOf(Supplier<?> call) {
        long began = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            var unused = call.get();
        }
        return secondsSince(began) * TimeUnit.SECONDS.toMillis(1) / CALLS;
    }

    private static double run(CouchJobs jobs, int count) throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(count);
        long began = System.nanoTime();
        Worker worker = jobs.worker()
                .concurrency(SLOTS)
                .process(TYPE, job -> ran.countDown())
                .start();
        ran.await();
        double rate = count / secondsSince(began);
        worker.close();
        return rate;
    }

    private CouchJobs jobs(Subspace subspace) {
        return CouchJobs.builder(database).subspace(subspace).build();
    }

    private void clear(Subspace subspace) {
        database.run(tx -> {
            tx.clear(subspace.range());
            return tx;
        });
    }

    private Subspace nextSubspace() {
        return new Subspace(Tuple.from("scale", subspaces++));
    }

    private static String number(double number) {
        return String.format(Locale.ROOT, "%,.0f", number);
    }

    private static double secondsSince(long began) {
        return (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
