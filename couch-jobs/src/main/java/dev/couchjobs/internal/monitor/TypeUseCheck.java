package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.activity.ActivityIndex;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.ServiceRegistry;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.types.TypeInUse;
import dev.couchjobs.internal.types.TypesWithRows;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Brings types of this process into use that have jobs that run or may run, but are not in use. Such types exist if no
 * process has claimed a scheduled job at its time, a process of an older version has claimed a job, or a row was lost.
 */
final class TypeUseCheck implements AutoCloseable {
    private static final int TYPES_MAX = 50;
    private static final int JITTER_PERCENT = 20;
    private static final Duration PAUSE = Duration.ofMinutes(5);

    private final Database database;
    private final Environment environment;
    private final InstantSource clock;
    private final Keyspace keyspace;
    private final LayoutRow layoutRow;
    private final Transactions transactions;
    private final ServiceRegistry<String, ActivityMonitor> monitors;
    private final BatchSize batch = new BatchSize(TYPES_MAX);
    private final Loop loop;

    TypeUseCheck(Instance instance, ServiceRegistry<String, ActivityMonitor> monitors) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.clock = instance.clock();
        this.keyspace = instance.keyspace();
        this.layoutRow = new LayoutRow(keyspace);
        this.transactions = instance.transactions().named("check", "types in use");
        this.monitors = monitors;
        this.loop = new Loop("check of types in use", environment, this::round);
    }

    /** Wakes the check for the first monitor. */
    void start() {
        loop.wakeUp();
    }

    @Override
    public void close() {
        loop.close();
    }

    private CompletableFuture<Pause> round() {
        if (monitors.count() == 0) {
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        return checkFrom(new Search(TypesWithRows.inQueuesOrActivity(keyspace), false))
                .thenApply(done -> Pause.atMost(TimerDelays.jittered(environment, PAUSE, JITTER_PERCENT)));
    }

    /**
     * A search for the types to check.
     *
     * @param isLast whether no other search follows
     */
    private record Search(TypesWithRows types, boolean isLast) {}

    private CompletableFuture<Boolean> checkFrom(Search search) {
        return batch.run(tries -> transactions.run(database, tx -> tries.next(size -> checkPage(tx, search, size))))
                .thenCompose(
                        rest -> rest.isPresent() ? checkFrom(rest.get()) : CompletableFuture.completedFuture(true));
    }

    /** Checks one page; returns the search for the next. */
    private CompletableFuture<Optional<Search>> checkPage(Transaction tx, Search search, int size) {
        return search.types().next(tx, size).thenCompose(page -> {
            CompletableFuture<?>[] checks = page.types().stream()
                    .filter(type -> monitors.ifPresent(type).isPresent())
                    .map(type -> check(tx, keyspace.type(type)))
                    .toArray(CompletableFuture<?>[]::new);
            return CompletableFuture.allOf(checks)
                    .thenCombine(
                            layoutRow.checkedBy(tx),
                            (done, layout) -> page.rest()
                                    .map(rest -> new Search(rest, search.isLast()))
                                    .or(() -> search.isLast() || !layout.mayUse(Feature.KEY_RATES)
                                            ? Optional.empty()
                                            : Optional.of(new Search(TypesWithRows.inTokenWaits(keyspace), true))));
        });
    }

    private CompletableFuture<Boolean> check(Transaction tx, TypeKeys keys) {
        long now = clock.instant().getEpochSecond();
        return ActivityIndex.isEmpty(tx, keys)
                .thenCombine(
                        WaitingJob.first(tx, keys, layoutRow),
                        (nothingRuns, waiting) -> !nothingRuns
                                || waiting.filter(job -> job.mayRunFrom() <= now)
                                        .isPresent())
                .thenCompose(needsRepair ->
                        needsRepair ? TypeInUse.repair(tx, keys) : CompletableFuture.completedFuture(false));
    }
}
