package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.Table;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

/**
 * Counts the jobs that many processes run at the latencies of a cluster, with limits, turns and an index of statuses,
 * and without. Time is virtual: the figures do not depend on the processors of this machine, and are the same each
 * time.
 */
public final class LatencyBenchmarks {
    private static final JobType<Integer, Void> TYPE = JobType.of("bench", Integer.class);
    private static final long SEED = 1;
    private static final int PROCESSES = 16;
    private static final int SLOTS = 10;
    private static final int JOB_MILLIS = 10;
    private static final int JOBS = 30_000;
    private static final int ADDED_AT_ONCE = 500;
    private static final Duration WARM_UP = Duration.ofSeconds(1);
    private static final Duration MEASURED = Duration.ofSeconds(1);
    private static final List<Latency> LATENCIES = List.of(new Latency(1, 3), new Latency(3, 10));

    private LatencyBenchmarks() {}

    /** How long a read and a commit take, in milliseconds. */
    private record Latency(int read, int commit) {}

    /**
     * What is measured beside its absence.
     *
     * @param prepare sets the rules
     * @param job makes the job of a number
     */
    private record Scenario(
            String name,
            BiFunction<Database, CouchJobs, CompletableFuture<?>> prepare,
            IntFunction<NewJob<Integer>> job) {}

    private static List<Scenario> scenarios() {
        return List.of(
                new Scenario("no limits", LatencyBenchmarks::nothing, LatencyBenchmarks::job),
                total(1_600),
                total(320),
                total(200),
                total(80),
                new Scenario("type: 1,000,000 a second", LatencyBenchmarks::rate, LatencyBenchmarks::job),
                new Scenario("1 key: 1,600 at once", perKey(1_600), n -> job(n).limitKey("key")),
                new Scenario("16 keys: 100 at once each", perKey(100), n -> job(n).limitKey("key-" + n % 16)),
                new Scenario("1 turn key", LatencyBenchmarks::nothing, n -> job(n).turnKey("key")),
                new Scenario("1,000 turn keys", LatencyBenchmarks::nothing, n -> job(n).turnKey("key-" + n % 1_000)),
                new Scenario(
                        "indexed by status", (database, jobs) -> jobs.statuses().index(TYPE), LatencyBenchmarks::job));
    }

    private static Scenario total(int max) {
        return new Scenario(
                String.format(Locale.ROOT, "type: %,d at once", max),
                (database, jobs) -> jobs.limits().setTotal(database, TYPE, max),
                LatencyBenchmarks::job);
    }

    private static BiFunction<Database, CouchJobs, CompletableFuture<?>> perKey(int max) {
        return (database, jobs) -> jobs.limits().set(database, TYPE, max);
    }

    private static CompletableFuture<?> nothing(Database database, CouchJobs jobs) {
        return CompletableFuture.completedFuture(jobs);
    }

    private static CompletableFuture<?> rate(Database database, CouchJobs jobs) {
        Rate rate = Rate.evenly(1_000_000, Duration.ofSeconds(1), 1_000_000);
        return jobs.limits().setRate(database, TYPE, rate);
    }

    private static NewJob<Integer> job(int number) {
        return NewJob.of(TYPE, number);
    }

    /**
     * Counts, and prints a table.
     *
     * @param words no options
     * @throws CommandLine.RefusedException if there is one
     */
    public static void main(String... words) {
        String unused = CommandLine.parse(
                "",
                (settings, option, line) -> {
                    throw new IllegalArgumentException(option);
                },
                "no options",
                words);
        Map<String, List<Integer>> rates = new LinkedHashMap<>();
        for (Latency latency : LATENCIES) {
            for (Scenario scenario : scenarios()) {
                rates.computeIfAbsent(scenario.name(), name -> new ArrayList<>())
                        .add(rate(scenario, latency));
            }
        }
        Table table = new Table("jobs of 10 ms a second", "1 ms, 3 ms", "ratio", "3 ms, 10 ms", "ratio");
        List<Integer> plain = rates.values().iterator().next();
        rates.forEach((name, each) -> table.add(
                name,
                String.format(Locale.ROOT, "%,d", each.get(0)),
                Table.ratio(each.get(0), plain.get(0)),
                String.format(Locale.ROOT, "%,d", each.get(1)),
                Table.ratio(each.get(1), plain.get(1))));
        System.out.println(table);
    }

    private static int rate(Scenario scenario, Latency latency) {
        try (Simulation simulation = Simulation.builder(SEED)
                .calm()
                .latency(Duration.ofMillis(latency.read()), Duration.ofMillis(latency.commit()))
                .build()) {
            SimulatedProcess producer = simulation.process("producer");
            CouchJobs jobs = instance(producer);
            simulation.await(scenario.prepare().apply(producer.database(), jobs));
            for (int from = 0; from < JOBS; from += ADDED_AT_ONCE) {
                List<NewJob<Integer>> batch = new ArrayList<>(ADDED_AT_ONCE);
                for (int number = from; number < from + ADDED_AT_ONCE; number++) {
                    batch.add(scenario.job().apply(number));
                }
                simulation.await(jobs.addAll(producer.database(), batch));
            }
            AtomicInteger ran = new AtomicInteger();
            for (int process = 0; process < PROCESSES; process++) {
                startWorker(simulation.process("worker"), ran);
            }
            simulation.advance(WARM_UP);
            int before = ran.get();
            simulation.advance(MEASURED);
            return ran.get() - before;
        }
    }

    private static CouchJobs instance(SimulatedProcess process) {
        return CouchJobs.builder(process.database())
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .build();
    }

    private static void startWorker(SimulatedProcess process, AtomicInteger ran) {
        var unused = instance(process)
                .worker()
                .handleAsync(TYPE, job -> {
                    CompletableFuture<Void> done = new CompletableFuture<>();
                    var unusedTimer = process.scheduler()
                            .schedule(
                                    () -> {
                                        ran.incrementAndGet();
                                        done.complete(null);
                                    },
                                    JOB_MILLIS,
                                    TimeUnit.MILLISECONDS);
                    return done;
                })
                .concurrency(SLOTS)
                .executor(process.scheduler())
                .start();
    }
}
