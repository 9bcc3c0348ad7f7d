package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.Unique;
import dev.couchjobs.Worker;
import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.DirectoryFiles;
import dev.couchjobs.bench.Table;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Measures what limits, rates, turns, unique keys and schedules cost, beside their absence in the same run. */
public final class ControlBenchmarks {
    private static final JobType<String, Void> TYPE = JobType.of("bench", String.class);
    private static final int INSTANCES = 16;
    private static final int SLOTS = 100;
    /** The slots of an instance whose jobs take time. */
    private static final int SLOTS_OF_SLOW_JOBS = 10;

    private static final int SLOW_JOB_MILLIS = 10;
    private static final int BATCH = 100;
    private static final int FULL_KEY_JOBS = 100_000;
    private static final String PAYLOAD = "x".repeat(Load.PAYLOAD_BYTES);

    private final ControlSettings settings;
    private int subspaces;

    private ControlBenchmarks(ControlSettings settings) {
        this.settings = settings;
    }

    /**
     * Measures, and prints a table for each engine.
     *
     * @param words the options
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws IOException if a file cannot be written
     * @throws InterruptedException if its thread is interrupted
     */
    public static void main(String... words) throws IOException, InterruptedException {
        ControlSettings settings = ControlSettings.parse(words);
        try (Database memory = Databases.inMemory()) {
            System.out.println(new ControlBenchmarks(settings).measure("in memory", memory, Pace.FASTEST));
            System.out.println(new ControlBenchmarks(settings).measure("in memory, 10 ms a job", memory, Pace.SLOW));
            System.out.println(new TurnBenchmarks(memory).waitingTimes("in memory"));
            System.out.println(new TurnBenchmarks(memory).rates("in memory"));
            System.out.println(new ScheduleBenchmarks(memory).rates("in memory", ScheduleBenchmarks.COUNTS));
        }
        Path directory = Files.createTempDirectory(settings.directory(), "couch-jobs-bench");
        try (Database durable = Databases.directory(directory)) {
            System.out.println(new ControlBenchmarks(settings).measure("in a directory", durable, Pace.FASTEST));
            System.out.println(
                    new ControlBenchmarks(settings).measure("in a directory, 10 ms a job", durable, Pace.SLOW));
            System.out.println(new TurnBenchmarks(durable).waitingTimes("in a directory"));
            System.out.println(new TurnBenchmarks(durable).rates("in a directory"));
            System.out.println(new ScheduleBenchmarks(durable).rates("in a directory", ScheduleBenchmarks.COUNTS));
        } finally {
            DirectoryFiles.delete(directory);
        }
    }

    /** How long a job takes, and how many run at once. */
    private enum Pace {
        /** A job does nothing, so that only the system takes time. */
        FASTEST,
        /** A job takes ten milliseconds. */
        SLOW;

        int slots() {
            return this == FASTEST ? SLOTS : SLOTS_OF_SLOW_JOBS;
        }

        void run() throws InterruptedException {
            if (this == SLOW) {
                Thread.sleep(SLOW_JOB_MILLIS);
            }
        }
    }

    /**
     * What is measured beside its absence.
     *
     * @param prepare prepares the rules, and the jobs that are not measured
     * @param job makes the job of a number
     */
    private record Scenario(String name, Preparation prepare, IntFunction<NewJob<String>> job) {}

    private interface Preparation {
        void run(Database database, CouchJobs jobs);
    }

    private static final Preparation NOTHING = (database, jobs) -> {};

    static NewJob<String> job(int number) {
        return NewJob.of(TYPE, PAYLOAD).id(CouchJobsSystem.id(number));
    }

    private static List<Scenario> scenarios() {
        return List.of(
                new Scenario("no limits", NOTHING, ControlBenchmarks::job),
                new Scenario("type: 1,600 at once", total(INSTANCES * SLOTS), ControlBenchmarks::job),
                new Scenario("type: 200 at once", total(200), ControlBenchmarks::job),
                new Scenario("type: 1,000,000 a second", ControlBenchmarks::highRate, ControlBenchmarks::job),
                new Scenario("1 key: 1,600 at once", perKey(INSTANCES * SLOTS), n -> job(n).limitKey("key")),
                new Scenario("16 keys: 100 at once each", perKey(SLOTS), n -> job(n).limitKey("key-" + n % 16)),
                new Scenario("beside 100,000 of a full key", ControlBenchmarks::fullKey, ControlBenchmarks::job),
                new Scenario("1 turn key", NOTHING, n -> job(n).turnKey("key")),
                new Scenario("16 turn keys", NOTHING, n -> job(n).turnKey("key-" + n % 16)),
                new Scenario("1,000 turn keys", NOTHING, n -> job(n).turnKey("key-" + n % 1_000)),
                new Scenario("indexed by status", ControlBenchmarks::indexed, ControlBenchmarks::job),
                new Scenario("unique keys", NOTHING, n -> job(n).unique(Unique.by("key-" + n))));
    }

    private static Preparation total(int max) {
        return (database, jobs) -> jobs.limits().setTotal(database, TYPE, max).join();
    }

    private static Preparation perKey(int max) {
        return (database, jobs) -> jobs.limits().set(database, TYPE, max).join();
    }

    private static void indexed(Database database, CouchJobs jobs) {
        jobs.statuses().index(TYPE).join();
    }

    private static void highRate(Database database, CouchJobs jobs) {
        Rate rate = Rate.evenly(1_000_000, Duration.ofSeconds(1), 1_000_000);
        jobs.limits().setRate(database, TYPE, rate).join();
    }

    /** One job of the key runs until its claim expires, which is later than the end of a round. */
    private static void fullKey(Database database, CouchJobs jobs) {
        jobs.limits().set(database, TYPE, "full", 1).join();
        addAll(
                database,
                jobs,
                FULL_KEY_JOBS,
                n -> NewJob.of(TYPE, PAYLOAD).id("full-" + n).limitKey("full").priority(-1));
        var unused = jobs.processor().accept(TYPE).join(); // holds the slot
    }

    static void addAll(Database database, CouchJobs jobs, int count, IntFunction<NewJob<String>> job) {
        for (int from = 0; from < count; from += BATCH) {
            List<NewJob<String>> batch = new ArrayList<>();
            for (int number = from; number < Math.min(count, from + BATCH); number++) {
                batch.add(job.apply(number));
            }
            jobs.addAll(database, batch).join();
        }
    }

    /** The figures of one round: jobs added, and run, a second. */
    private record Figures(double added, double run) {}

    private String measure(String engine, Database database, Pace pace) throws InterruptedException {
        Map<Scenario, List<Figures>> rounds = new LinkedHashMap<>();
        for (int round = -1; round < settings.rounds(); round++) { // the first is the warm-up
            for (Scenario scenario : scenarios()) {
                Figures figures = measure(database, scenario, pace);
                if (round >= 0) {
                    rounds.computeIfAbsent(named(rounds, scenario), unused -> new ArrayList<>())
                            .add(figures);
                }
            }
        }
        Table table = new Table(engine, "added/s", "ratio", "run/s", "ratio");
        double plainAdded = 0;
        double plainRun = 0;
        for (Map.Entry<Scenario, List<Figures>> each : rounds.entrySet()) {
            double added = median(each.getValue().stream().map(Figures::added).toList());
            double run = median(each.getValue().stream().map(Figures::run).toList());
            plainAdded = plainAdded == 0 ? added : plainAdded;
            plainRun = plainRun == 0 ? run : plainRun;
            table.add(
                    each.getKey().name(),
                    String.format(Locale.ROOT, "%,.0f", added),
                    Table.ratio(added, plainAdded),
                    String.format(Locale.ROOT, "%,.0f", run),
                    Table.ratio(run, plainRun));
        }
        return table.toString();
    }

    private static Scenario named(Map<Scenario, List<Figures>> rounds, Scenario scenario) {
        return rounds.keySet().stream()
                .filter(known -> known.name().equals(scenario.name()))
                .findFirst()
                .orElse(scenario);
    }

    private static double median(List<Double> figures) {
        List<Double> sorted = new ArrayList<>(figures);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    private Figures measure(Database database, Scenario scenario, Pace pace) throws InterruptedException {
        Subspace subspace = new Subspace(Tuple.from("bench", subspaces++));
        List<CouchJobs> instances = new ArrayList<>();
        List<Worker> workers = new ArrayList<>();
        try {
            for (int i = 0; i < INSTANCES; i++) {
                instances.add(CouchJobs.builder(database).subspace(subspace).build());
            }
            CouchJobs first = instances.get(0);
            scenario.prepare().run(database, first);
            long began = System.nanoTime();
            addAll(database, first, settings.jobs(), scenario.job());
            double addSeconds = secondsSince(began);
            CountDownLatch ran = new CountDownLatch(settings.jobs());
            began = System.nanoTime();
            instances.forEach(instance -> workers.add(instance.worker()
                    .concurrency(pace.slots())
                    .process(TYPE, job -> {
                        pace.run();
                        ran.countDown();
                    })
                    .start()));
            ran.await();
            workers.forEach(Worker::close);
            return new Figures(settings.jobs() / addSeconds, settings.jobs() / secondsSince(began));
        } finally {
            instances.forEach(CouchJobs::close);
            database.run(tx -> {
                tx.clear(subspace.range());
                return tx;
            });
        }
    }

    private static double secondsSince(long began) {
        return (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
