package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.data.IncompleteVersionstamps;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.Layout;
import dev.couchjobs.internal.data.LayoutRow;
import dev.couchjobs.internal.data.TypeInUse;
import dev.couchjobs.internal.data.TypeTimeouts;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.ServiceRegistry;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Reads the types in use and their monitor leases for the monitors of one process, so that one process monitors each
 * type in use.
 *
 * <p>While no type is in use, the cost is one watch for all types. While other processes monitor types of this process,
 * one round reads all leases, four times in the shortest of their timeouts.
 */
final class MonitorLeases implements AutoCloseable {
    private static final int TYPES_MAX = 1_000;
    private static final int JITTER_PERCENT = 10;
    /** Types that come into use within this time share one round. */
    private static final Duration GAP = TypeTimeouts.TIMEOUT_MIN.dividedBy(ActivityMonitor.MARKS_PER_TIMEOUT);
    /** The longest pause, in case a watch is lost. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private final Database database;
    private final Environment environment;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final ServiceRegistry<String, ActivityMonitor> monitors;
    private final BatchSize batch = new BatchSize(TYPES_MAX);
    private final Loop loop;

    // Used by one round at a time.
    private MeasuredPause pause = MeasuredPause.NONE;
    /** How long the loop has slept in all. */
    private Duration elapsed = Duration.ZERO;
    /** The monitors whose types were in use in the last round. */
    private volatile Map<String, ActivityMonitor> inUse = Map.of();

    private volatile Runnable afterRead = () -> {};
    private final LayoutRow layoutRow;
    private final Consumer<Layout> afterLayout;

    /** @param afterLayout receives the layout each time this process has read the leases */
    MonitorLeases(Instance instance, ServiceRegistry<String, ActivityMonitor> monitors, Consumer<Layout> afterLayout) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions().named("read", "monitor leases");
        this.monitors = monitors;
        this.layoutRow = new LayoutRow(keyspace);
        this.afterLayout = afterLayout;
        this.loop = new Loop("monitor leases", environment, this::round);
    }

    boolean isInUse(String typeName) {
        return inUse.containsKey(typeName);
    }

    void afterEachRead(Runnable listener) {
        afterRead = listener;
    }

    /** Wakes the loop for a new monitor. */
    void wakeUp() {
        loop.wakeUp();
    }

    @Override
    public void close() {
        loop.close();
    }

    /** The results of one round. */
    private static final class Round {
        private final Map<String, ActivityMonitor> inUse = new HashMap<>();
        /**
         * The longest pause before the next round; a random shorter pause if there is a lease that no process holds.
         */
        private Duration next = LONGEST_PAUSE;

        private Duration nextForFreeLease = LONGEST_PAUSE;
        private CompletableFuture<Void> newTypes = new CompletableFuture<>();

        void next(Duration time, TypeInUse type) {
            next = shorter(next, time);
            if (type.holder().isEmpty()) {
                nextForFreeLease = shorter(nextForFreeLease, time);
            }
        }
    }

    /**
     * Some types in use.
     *
     * @param timeouts the activity timeouts of the types that were not observed before
     * @param now the read version
     * @param layout the layout
     * @param newTypes completes when a further type comes into use, a timeout changes, or the layout does
     * @param next the last type, if there may be more
     */
    private record Page(
            List<TypeInUse> types,
            Map<String, ActivityMonitor.StoredTimeout> timeouts,
            Versionstamp now,
            Layout layout,
            Optional<CompletableFuture<Void>> newTypes,
            Optional<String> next) {}

    private CompletableFuture<Pause> round() {
        elapsed = elapsed.plus(pause.slept());
        pause = new MeasuredPause();
        if (monitors.count() == 0) {
            inUse = Map.of();
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        Round round = new Round();
        return readLeases(round, Optional.empty()).thenApply(this::pause).whenComplete((pause, error) -> {
            if (error != null) {
                round.newTypes.cancel(false);
            }
        });
    }

    private CompletableFuture<Round> readLeases(Round round, Optional<String> after) {
        return batch.run(tries -> transactions.run(database, tx -> tries.next(size -> page(tx, after, size))))
                .thenCompose(page -> {
                    page.newTypes().ifPresent(newTypes -> round.newTypes = newTypes);
                    afterLayout.accept(page.layout());
                    page.types().forEach(type -> notifyMonitor(type, page, round));
                    return page.next().isEmpty()
                            ? CompletableFuture.completedFuture(round)
                            : readLeases(round, page.next());
                });
    }

    /** Reads one page. The first page arms the watch, which fires for a type on any page. */
    private CompletableFuture<Page> page(Transaction tx, Optional<String> after, int size) {
        Optional<CompletableFuture<Void>> newTypes =
                after.isEmpty() ? Optional.of(tx.watch(keyspace.watchesInUse())) : Optional.empty();
        return TypeInUse.list(tx, keyspace, after, size).thenCompose(types -> {
            Optional<String> next = types.size() < size
                    ? Optional.empty()
                    : Optional.of(types.get(types.size() - 1).typeName());
            return timeouts(tx, types)
                    .thenCombine(
                            layoutRow.checkedBy(tx).thenCombine(tx.getReadVersion(), Map::entry),
                            (timeouts, read) -> new Page(
                                    types,
                                    timeouts,
                                    IncompleteVersionstamps.upTo(read.getValue()),
                                    read.getKey(),
                                    newTypes,
                                    next));
        });
    }

    /** Reads the timeouts. The monitor of a type reports a timeout that cannot be decoded. */
    private CompletableFuture<Map<String, ActivityMonitor.StoredTimeout>> timeouts(
            Transaction tx, List<TypeInUse> types) {
        Map<String, CompletableFuture<Optional<Duration>>> reads = new HashMap<>();
        types.stream()
                .filter(type -> monitors.ifPresent(type.typeName())
                        .filter(monitor -> monitor.needsTimeout(type))
                        .isPresent())
                .forEach(type ->
                        reads.put(type.typeName(), TypeTimeouts.getIfReadable(tx, keyspace.type(type.typeName()))));
        return Futures.allOf(reads.values()).thenApply(done -> {
            Map<String, ActivityMonitor.StoredTimeout> timeouts = new HashMap<>();
            reads.forEach((type, read) -> timeouts.put(type, new ActivityMonitor.StoredTimeout(read.join())));
            return timeouts;
        });
    }

    private void notifyMonitor(TypeInUse type, Page page, Round round) {
        monitors.ifPresent(type.typeName()).ifPresent(monitor -> {
            round.inUse.put(type.typeName(), monitor);
            monitor.observe(type, Optional.ofNullable(page.timeouts().get(type.typeName())), page.now(), elapsed)
                    .ifPresent(timeout -> round.next(timeout.dividedBy(ActivityMonitor.MARKS_PER_TIMEOUT), type));
        });
    }

    private Pause pause(Round round) {
        inUse.forEach((type, monitor) -> {
            if (!round.inUse.containsKey(type)) {
                monitor.outOfUse();
            }
        });
        inUse = round.inUse;
        Duration time = TimerDelays.jittered(environment, round.next, JITTER_PERCENT);
        afterRead.run();
        if (round.nextForFreeLease.compareTo(LONGEST_PAUSE) < 0) {
            time = shorter(time, Duration.ofNanos(environment.random().nextLong(round.nextForFreeLease.toNanos())));
        }
        return pause.sleep(environment, shorter(GAP, time), time, round.newTypes);
    }

    private static Duration shorter(Duration first, Duration second) {
        return first.compareTo(second) < 0 ? first : second;
    }
}
