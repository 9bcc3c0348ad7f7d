package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.bench.Table;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.Databases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Counts the database operations of couch-jobs. The counts are those of calls on the {@link Database} and do not depend
 * on the engine, except for the number of conflicts.
 */
final class Costs implements AutoCloseable {
    private static final int ADDING_TRANSACTIONS = 100;
    private static final Duration IDLE = Duration.ofSeconds(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int TIMEOUTS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Database database = Databases.open(new DatabaseLocation.InMemory());
    private final CountingDatabase counted = new CountingDatabase(database);
    private final CouchJobsSystem system;
    private final SystemUnderTest systemUnderTest;

    Costs(Load load) {
        system = new CouchJobsSystem(database, new Subspace(), load);
        systemUnderTest = new SystemUnderTest(system, load, CpuMeter.OWN);
    }

    /**
     * A count.
     *
     * @param name the label of the count
     * @param unit the unit of the count
     */
    record Cost(String name, double value, String unit) {}

    static Table table(int jobs) throws InterruptedException {
        Table table = new Table("database operations of couch-jobs", "", "");
        for (int perTransaction : List.of(1, 100)) {
            try (Costs costs = new Costs(Load.of(1))) {
                add(table, costs.adding(perTransaction));
            }
        }
        for (int instances : List.of(1, 8)) {
            try (Costs costs = new Costs(Load.of(instances))) {
                add(table, costs.running(jobs));
            }
        }
        try (Costs costs = new Costs(Load.of(1))) {
            add(table, costs.idling(IDLE));
            add(table, costs.keeping(jobs / 2, TIMEOUT));
        }
        return table;
    }

    private static void add(Table table, List<Cost> costs) {
        costs.forEach(cost -> table.add(cost.name, String.format(Locale.ROOT, "%.2f", cost.value), cost.unit));
    }

    List<Cost> adding(int perTransaction) {
        Traffic before = counted.traffic();
        try (JobSystem.Instance instance = system.join(counted.asDatabase())) {
            for (int transaction = 0; transaction < ADDING_TRANSACTIONS; transaction++) {
                instance.addAll(systemUnderTest.tally().next(perTransaction), perTransaction);
            }
        }
        return perJob(
                "adding " + perTransaction + " per transaction",
                counted.traffic().since(before),
                ADDING_TRANSACTIONS * perTransaction);
    }

    List<Cost> running(int jobs) throws InterruptedException {
        systemUnderTest.fill(jobs);
        Traffic before = counted.traffic();
        List<JobSystem.Instance> instances = new ArrayList<>();
        for (int instance = 0; instance < systemUnderTest.load().instances(); instance++) {
            instances.add(system.join(counted.asDatabase()));
        }
        instances.forEach(instance -> instance.work(systemUnderTest.tally()::run));
        await(jobs);
        systemUnderTest.awaitEnd(systemUnderTest.tally().last(JobTally.RECENT));
        instances.forEach(JobSystem.Instance::close);
        Traffic traffic = counted.traffic().since(before);
        String name = "running by " + instances.size() + (instances.size() == 1 ? " worker" : " workers");
        List<Cost> costs = new ArrayList<>(perJob(name, traffic, jobs));
        costs.add(new Cost(name + ": conflicts", traffic.claimRetries() / (double) traffic.claims(), "per claim"));
        costs.add(new Cost(name + ": jobs", jobs / (double) traffic.claims(), "per claim"));
        return costs;
    }

    List<Cost> idling(Duration window) throws InterruptedException {
        try (JobSystem.Instance worker = system.join(counted.asDatabase())) {
            worker.work(systemUnderTest.tally()::run);
            worker.add(systemUnderTest.tally().next(1));
            await(1);
            systemUnderTest.awaitEnd(systemUnderTest.tally().last(1));
            Traffic before = counted.traffic();
            TimeUnit.NANOSECONDS.sleep(window.toNanos());
            Traffic traffic = counted.traffic().since(before);
            double seconds = window.toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
            return List.of(
                    new Cost("an idle worker: transactions", traffic.transactions() / seconds, "per second"),
                    new Cost("an idle worker: transactions that write", traffic.writing() / seconds, "per second"));
        }
    }

    /** Counts the operations that renew the claims of long-running jobs. The jobs still run afterwards. */
    List<Cost> keeping(int jobs, Duration timeout) throws InterruptedException {
        system.setActivityTimeout(timeout);
        systemUnderTest.fill(jobs);
        int before = systemUnderTest.tally().begun();
        try (CouchJobsSystem.Member worker = system.join(counted.asDatabase())) {
            worker.hold(jobs, systemUnderTest.tally()::run);
            await(before + jobs);
            Traffic traffic = counted.traffic();
            TimeUnit.NANOSECONDS.sleep(timeout.toNanos() * TIMEOUTS);
            traffic = counted.traffic().since(traffic);
            String name = "keeping %,d jobs of a type with a timeout of %d s: ".formatted(jobs, timeout.toSeconds());
            return List.of(
                    new Cost(name + "transactions", traffic.transactions() / (double) TIMEOUTS, "per timeout"),
                    new Cost(name + "retries", traffic.retries() / (double) TIMEOUTS, "per timeout"),
                    new Cost(name + "keys written", traffic.keysWritten() / (double) TIMEOUTS, "per timeout"),
                    new Cost(name + "keys read", traffic.keysRead() / (double) TIMEOUTS, "per timeout"),
                    new Cost(name + "ranges read", traffic.rangesRead() / (double) TIMEOUTS, "per timeout"));
        }
    }

    private void await(int begun) throws InterruptedException {
        if (!systemUnderTest.tally().await(begun, PATIENCE.toNanos())) {
            throw new IllegalStateException("Jobs that were added have not begun");
        }
    }

    private static List<Cost> perJob(String name, Traffic traffic, double jobs) {
        return List.of(
                new Cost(name + ": transactions", traffic.transactions() / jobs, "per job"),
                new Cost(name + ": keys written", traffic.keysWritten() / jobs, "per job"),
                new Cost(name + ": bytes written", traffic.bytesWritten() / jobs, "per job"),
                new Cost(name + ": keys read", traffic.keysRead() / jobs, "per job"),
                new Cost(name + ": ranges read", traffic.rangesRead() / jobs, "per job"));
    }

    @Override
    public void close() {
        systemUnderTest.close();
    }
}
