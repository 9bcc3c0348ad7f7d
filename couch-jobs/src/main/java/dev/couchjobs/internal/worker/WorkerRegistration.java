package dev.couchjobs.internal.worker;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.WorkerState;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.workers.WorkerOrders;
import dev.couchjobs.internal.workers.WorkerRow;
import dev.couchjobs.internal.workers.WorkerTable;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import dev.couchjobs.loop.WatchLooks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the row of a worker, and reads the orders for its name (rfc/026), in one transaction: when the worker starts,
 * every 60 seconds, when the orders change, and when the state of the worker changes. The same transaction looks at the
 * keys that the instance watches.
 *
 * <p>The worker claims nothing before the orders are known. Later, if a round fails, the last orders remain.
 */
final class WorkerRegistration {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerRegistration.class);
    private static final Duration INTERVAL = Duration.ofSeconds(60);
    private static final int JITTER_PERCENT = 10;
    private static final Duration AFTER_WATCH_FAILURE = Duration.ofSeconds(1);
    private static final int TOO_MANY_WATCHES = 1032;
    /** In how many rounds on average a worker looks for rows of workers that have died. */
    private static final int ROUNDS_PER_PRUNING = 60;

    private static final int PRUNED_MAX = 50;
    /** The rows on each side of its own among which a worker counts others with the same types. */
    private static final int NEIGHBOURS = 32;
    /** Up to so many workers with the same types all look at the leases often (rfc/018). */
    private static final int SMALL_FLEET = 8;

    private final Database database;
    private final Environment environment;
    private final InstantSource clock;
    private final Transactions transactions;
    private final WorkerTable table;
    private final WatchLooks looks;
    private final WorkerTable.Ref worker;
    private final WorkerSettings settings;
    private final Obeying obeying;
    private final long startedAt;
    private final Loop loop;

    // Used by one round at a time.
    private boolean isRegistered;
    private @Nullable Long registeredAfter;
    private @Nullable WorkerState writtenState;
    private Optional<byte[]> prunedUpTo;
    private Optional<byte[]> ordersPrunedUpTo;
    private boolean areOrdersKnown;

    private volatile @Nullable CompletableFuture<Void> watch;

    @GuardedBy("this") private boolean begun;

    @GuardedBy("this") private boolean ended;

    /** The current round. */
    @GuardedBy("this") private CompletableFuture<?> round = CompletableFuture.completedFuture(this);

    /** The worker that obeys the orders. */
    interface Obeying {
        /** {@return how the worker is at present} */
        Report report();

        /** {@return what the worker does at present} */
        WorkerState state();

        /** Hears whether many other workers have the same types, after each round. */
        void isInLargeFleet(boolean isLarge);

        /** Obeys orders. Called when they are known, and again whenever they may have changed. */
        void obey(boolean isPaused, boolean isDrained);
    }

    /**
     * How a worker is at present.
     *
     * @param concurrency how many jobs it may run at once
     * @param types the first of the names of its types
     */
    record Report(WorkerState state, int concurrency, int running, List<String> types) {}

    /** What a round has read and written. */
    private record Renewal(
            Optional<WorkerOrders> orders,
            @Nullable Long registeredAfter,
            Optional<CompletableFuture<Void>> watch,
            boolean isInLargeFleet) {}

    WorkerRegistration(Instance instance, WorkerSettings settings, Obeying obeying) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.clock = instance.clock();
        this.transactions = instance.transactions().named("renew", "worker");
        this.table = new WorkerTable(instance.keyspace());
        this.looks = instance.looks();
        this.worker = new WorkerTable.Ref(
                settings.identity().name(),
                new UUID(environment.random().nextLong(), environment.random().nextLong()));
        this.prunedUpTo = Optional.of(table.key(worker)); // workers of many names begin at many places
        this.ordersPrunedUpTo = Optional.of(table.ordersKey(worker.name()));
        this.settings = settings;
        this.obeying = obeying;
        this.startedAt = clock.millis();
        this.loop = new Loop("registration of worker " + worker.name(), environment, this::round);
    }

    /** Registers the worker, or writes its row again because its state has changed. */
    void wakeUp() {
        loop.wakeUp();
    }

    /** Removes the row. {@return a future that completes when it is removed, or could not be} */
    CompletableFuture<?> end() {
        CompletableFuture<?> lastRound;
        boolean mayHaveRow;
        synchronized (this) {
            ended = true;
            lastRound = round;
            mayHaveRow = begun;
        }
        loop.close();
        if (!mayHaveRow) {
            return CompletableFuture.completedFuture(this);
        }
        return lastRound
                .handle((done, error) -> true)
                .thenCompose(done -> {
                    dropWatch();
                    return transactions.run(database, tx -> {
                        table.remove(tx, worker);
                        return CompletableFuture.completedFuture(true);
                    });
                })
                .exceptionally(error -> {
                    LOG.debug("The row of worker {} could not be removed", worker, error);
                    return false;
                });
    }

    private void dropWatch() {
        CompletableFuture<Void> present = watch;
        if (present != null) {
            present.cancel(false);
        }
    }

    private CompletableFuture<Pause> round() {
        CompletableFuture<Pause> next;
        synchronized (this) {
            if (ended) {
                return CompletableFuture.completedFuture(Pause.untilWakeUp());
            }
            next = new CompletableFuture<>();
            round = next;
            begun = true;
        }
        var unused = CompletableFuture.completedFuture(obeying.report())
                .thenCompose(this::renew) // within the chain, because this throws if the database is closed
                .thenCompose(done -> pruneSometimes())
                .whenComplete((done, error) -> {
                    if (error != null) {
                        next.completeExceptionally(error);
                    } else {
                        next.complete(pause());
                    }
                });
        return next;
    }

    private Pause pause() {
        if (obeying.state() != writtenState) {
            return Pause.none();
        }
        return Pause.atMost(TimerDelays.jittered(environment, INTERVAL, JITTER_PERCENT));
    }

    private CompletableFuture<?> renew(Report report) {
        return transactions.run(database, tx -> renew(tx, report)).thenAccept(renewal -> {
            isRegistered = true;
            registeredAfter = renewal.registeredAfter();
            writtenState = report.state();
            renewal.watch().ifPresent(this::await);
            obeying.isInLargeFleet(renewal.isInLargeFleet());
            obey(renewal.orders());
        });
    }

    private CompletableFuture<Renewal> renew(Transaction tx, Report report) {
        CompletableFuture<Void> present = watch;
        Optional<CompletableFuture<Void>> next = present == null || present.isDone()
                ? Optional.of(tx.watch(table.ordersKey(worker.name())))
                : Optional.empty();
        CompletableFuture<Optional<WorkerRow>> own =
                isRegistered ? CompletableFuture.completedFuture(Optional.empty()) : table.find(tx, worker);
        CompletableFuture<?> looked = looks.look(tx);
        CompletableFuture<Boolean> isInLargeFleet = table.neighbours(tx, worker, NEIGHBOURS)
                .thenApply(neighbours -> neighbours.stream()
                                .filter(each -> isAlike(each, report))
                                .count()
                        >= SMALL_FLEET);
        return table.orders(tx, worker.name())
                .thenCombine(own, Known::new)
                .thenCombine(isInLargeFleet, (known, isLarge) -> renewal(tx, report, next, known, isLarge))
                .thenCombine(looked, (renewal, done) -> renewal);
    }

    /** What a round has read of this worker. */
    private record Known(Optional<WorkerOrders> orders, Optional<WorkerRow> row) {}

    /** Workers that are no processes of the library have versions of their own: they monitor nothing. */
    private boolean isAlike(WorkerTable.Listed other, Report report) {
        return other.isLive(clock.instant())
                && other.row().libraryVersion().equals(settings.identity().libraryVersion())
                && other.row().types().equals(report.types());
    }

    private Renewal renewal(
            Transaction tx,
            Report report,
            Optional<CompletableFuture<Void>> next,
            Known known,
            boolean isInLargeFleet) {
        Long after = isRegistered ? registeredAfter : registeredAfter(known.orders(), known.row());
        table.write(tx, worker, row(report, after));
        return new Renewal(known.orders(), after, next, isInLargeFleet);
    }

    /** {@return the last drain before this worker registered} If an earlier try has committed, the row says so. */
    private static @Nullable Long registeredAfter(Optional<WorkerOrders> orders, Optional<WorkerRow> row) {
        return row.isPresent()
                ? row.get().registeredAfter()
                : orders.map(WorkerOrders::drain).orElse(null);
    }

    private WorkerRow row(Report report, @Nullable Long after) {
        WorkerSettings.Identity identity = settings.identity();
        return new WorkerRow(
                identity.host(),
                identity.libraryVersion(),
                report.types(),
                report.concurrency(),
                report.running(),
                report.state(),
                startedAt,
                clock.millis(),
                after);
    }

    /** Awaits a change of the orders. After a failure of the watch another round arms the next. */
    private void await(CompletableFuture<Void> change) {
        watch = change;
        var unused = change.whenComplete((done, error) -> {
            if (error == null) {
                loop.wakeUp();
            } else if (!isRefused(error) && !(error instanceof CancellationException)) {
                var unusedTimer = environment
                        .scheduler()
                        .schedule(loop::wakeUp, TimerDelays.nanos(AFTER_WATCH_FAILURE), TimeUnit.NANOSECONDS);
            }
        });
    }

    /** Without a watch the worker learns of orders when it renews its row. */
    private static boolean isRefused(Throwable error) {
        return RootCauses.hasCode(error, TOO_MANY_WATCHES);
    }

    /** Damaged orders change nothing. */
    private void obey(Optional<WorkerOrders> orders) {
        if (orders.isPresent()) {
            obeying.obey(orders.get().isPaused(), orders.get().drains(registeredAfter));
        } else if (!areOrdersKnown) {
            obeying.obey(false, false);
        }
        areOrdersKnown = true;
    }

    private CompletableFuture<?> pruneSometimes() {
        if (environment.random().nextInt(ROUNDS_PER_PRUNING) > 0) {
            return CompletableFuture.completedFuture(worker);
        }
        Instant now = clock.instant();
        return transactions
                .run(
                        database,
                        tx -> table.prune(tx, prunedUpTo, PRUNED_MAX, now)
                                .thenCombine(table.pruneOrders(tx, ordersPrunedUpTo, PRUNED_MAX, now), Pruned::new))
                .thenAccept(pruned -> {
                    prunedUpTo = pruned.workers();
                    ordersPrunedUpTo = pruned.orders();
                });
    }

    /** The last rows that were looked at; empty at the end, so that the next look is at the first rows. */
    private record Pruned(Optional<byte[]> workers, Optional<byte[]> orders) {}
}
