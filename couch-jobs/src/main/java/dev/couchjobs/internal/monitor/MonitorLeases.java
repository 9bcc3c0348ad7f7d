package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.ServiceRegistry;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Layout;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.types.TypeInUse;
import dev.couchjobs.internal.types.TypeTimeouts;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the types in use and their monitor leases for the monitors of one process, so that one process monitors each
 * type in use.
 *
 * <p>While no type is in use, the cost is two watches for all types. While other processes monitor types of this
 * process, one round reads all leases, four times in the shortest of their timeouts.
 *
 * <p>In a large fleet only those look so often that lead the processes that wait for jobs of a type, or see a lease
 * that nobody renews. The others look every few minutes, at different times, and not when a type comes into use: the
 * process that claims its first job takes the lease.
 */
final class MonitorLeases implements AutoCloseable {
    private static final int TYPES_MAX = 1_000;
    private static final int JITTER_PERCENT = 10;
    /** Types that come into use within this time share one round. */
    private static final Duration GAP = TypeTimeouts.TIMEOUT_MIN.dividedBy(ActivityMonitor.MARKS_PER_TIMEOUT);
    /** The longest pause, in case a watch is lost. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    /** A claim so soon before or after a type came into use was probably that of its first job. */
    private static final long FIRST_JOB_MILLIS = 200;
    /** Of so many leaders of a large fleet that are replaced soon one looks. */
    private static final int LEADERS_PER_LOOK = 16;

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

    private final LargeFleets largeFleets = new LargeFleets();
    /** The types of which this process leads those that wait for jobs. */
    private final Set<String> led = ConcurrentHashMap.newKeySet();
    /** Types of large fleets that it leads or has led, for which a timer runs until the next look. */
    private final Set<String> timed = ConcurrentHashMap.newKeySet();
    /** The types whose leases this process reads four times in a timeout, as the last round has found. */
    private volatile Set<String> closelyWatched = Set.of();

    /** When this process, as a leader, has claimed jobs last, in milliseconds. */
    private volatile long claimedAt = Long.MIN_VALUE;
    /** When it has left to others that a type came into use. */
    private volatile long leftAt = Long.MIN_VALUE;

    private volatile BooleanSupplier looksAtNewTypes = () -> false;
    /** Whether the looks of the processes of a large fleet are at different times. */
    private volatile boolean isSpread;

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

    void looksAtNewTypesIf(BooleanSupplier condition) {
        looksAtNewTypes = condition;
    }

    void inLargeFleet(String typeName, boolean isLarge) {
        largeFleets.set(typeName, isLarge);
    }

    /** {@return whether this process leaves the types that come into use to those that claim their jobs} */
    boolean leavesToOthers() {
        return largeFleets.count() == monitors.count() && !looksAtNewTypes.getAsBoolean();
    }

    /**
     * See {@link BackgroundServices#claimed}. In a large fleet the leader looks after a quarter of a timeout, if it
     * leads so long. Where jobs follow each other faster, one in some leaders looks.
     */
    void claimed(String typeName, boolean hasClaimed, boolean leads) {
        if (hasClaimed) {
            claimedAt = environment.clock().millis();
            if (hasClaimedFirstJob()) {
                loop.wakeUp();
            }
        }
        if (!leads) {
            led.remove(typeName);
        } else if (led.add(typeName) && largeFleets.contains(typeName)) {
            monitors.ifPresent(typeName).ifPresent(monitor -> lookAfter(monitor.betweenLooks(), typeName));
        }
    }

    /** {@return whether this process has probably claimed the first job of a type that came into use} */
    private boolean hasClaimedFirstJob() {
        return claimedAt != Long.MIN_VALUE
                && leftAt != Long.MIN_VALUE
                && Math.abs(claimedAt - leftAt) <= FIRST_JOB_MILLIS;
    }

    private void lookAfter(Duration time, String typeName) {
        if (timed.add(typeName)) {
            var unused = environment
                    .scheduler()
                    .schedule(
                            () -> timeUp(typeName),
                            TimerDelays.nanos(TimerDelays.jittered(environment, time, JITTER_PERCENT)),
                            TimeUnit.NANOSECONDS);
        }
    }

    private void timeUp(String typeName) {
        timed.remove(typeName);
        boolean looks = led.contains(typeName) || environment.random().nextInt(LEADERS_PER_LOOK) == 0;
        if (looks && !closelyWatched.contains(typeName)) {
            loop.wakeUp();
        }
    }

    private static Duration quarter(Duration timeout) {
        return timeout.dividedBy(ActivityMonitor.MARKS_PER_TIMEOUT);
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
        /** Whether this process takes a lease that no process holds at once. */
        private final boolean takesFree;

        private final Map<String, ActivityMonitor> inUse = new HashMap<>();
        /**
         * The longest pause before the next round; a random shorter pause if there is a lease that no process holds.
         */
        private Duration next = LONGEST_PAUSE;

        private Duration nextForFreeLease = LONGEST_PAUSE;
        private final Set<String> closelyWatched = new HashSet<>();
        private CompletableFuture<Void> changed = new CompletableFuture<>();

        Round(boolean takesFree) {
            this.takesFree = takesFree;
        }

        void next(Duration time, TypeInUse type) {
            closelyWatched.add(type.typeName());
            next = MeasuredPause.shorter(next, time);
            if (type.holder().isEmpty()) {
                nextForFreeLease = MeasuredPause.shorter(nextForFreeLease, time);
            }
        }
    }

    /**
     * Some types in use.
     *
     * @param timeouts the activity timeouts of the types that were not observed before
     * @param now the read version
     * @param layout the layout
     * @param changed completes when a timeout or the layout changes or, unless this process leaves that to others, a
     *     further type comes into use
     * @param next the last type, if there may be more
     */
    private record Page(
            List<TypeInUse> types,
            Map<String, ActivityMonitor.StoredTimeout> timeouts,
            long now,
            Layout layout,
            Optional<CompletableFuture<Void>> changed,
            Optional<String> next) {}

    private CompletableFuture<Pause> round() {
        elapsed = elapsed.plus(pause.slept());
        pause = new MeasuredPause();
        if (monitors.count() == 0) {
            inUse = Map.of();
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        Round round = new Round(hasClaimedFirstJob());
        leftAt = Long.MIN_VALUE;
        return readLeases(round, Optional.empty()).thenApply(this::pause).whenComplete((pause, error) -> {
            if (error != null) {
                round.changed.cancel(false);
            }
        });
    }

    private CompletableFuture<Round> readLeases(Round round, Optional<String> after) {
        return batch.run(tries -> transactions.run(database, tx -> tries.next(size -> page(tx, after, size))))
                .thenCompose(page -> {
                    page.changed().ifPresent(changed -> round.changed = changed);
                    afterLayout.accept(page.layout());
                    page.types().forEach(type -> notifyMonitor(type, page, round));
                    return page.next().isEmpty()
                            ? CompletableFuture.completedFuture(round)
                            : readLeases(round, page.next());
                });
    }

    /** Reads one page. The first page arms the watches, which fire for a type on any page. */
    private CompletableFuture<Page> page(Transaction tx, Optional<String> after, int size) {
        Optional<CompletableFuture<Void>> changed = after.isEmpty() ? Optional.of(watch(tx)) : Optional.empty();
        return TypeInUse.list(tx, keyspace, after, size).thenCompose(types -> {
            Optional<String> next = types.size() < size
                    ? Optional.empty()
                    : Optional.of(types.get(types.size() - 1).typeName());
            return timeouts(tx, types)
                    .thenCombine(
                            layoutRow.checkedBy(tx).thenCombine(tx.getReadVersion(), Map::entry),
                            (timeouts, read) ->
                                    new Page(types, timeouts, read.getValue(), read.getKey(), changed, next));
        });
    }

    /** A type that comes into use while this process leaves it to others does not fire the watch again. */
    private CompletableFuture<Void> watch(Transaction tx) {
        CompletableFuture<Void> settings = tx.watch(keyspace.row("watches_settings"));
        CompletableFuture<Void> newTypes = tx.watch(keyspace.row("watches_in_use"));
        CompletableFuture<Void> changed = new CompletableFuture<>();
        var unusedSettings = settings.whenComplete((done, error) -> {
            isSpread &= error != null;
            complete(changed, error);
        });
        var unusedTypes = newTypes.whenComplete((done, error) -> {
            if (error == null) {
                leftAt = environment.clock().millis();
            }
            if (error != null || !leavesToOthers() || hasClaimedFirstJob()) {
                complete(changed, error);
            }
        });
        var unused = changed.whenComplete((done, error) -> {
            settings.cancel(false);
            newTypes.cancel(false);
        });
        return changed;
    }

    private static void complete(CompletableFuture<Void> future, @Nullable Throwable error) {
        if (error == null) {
            future.complete(null);
        } else {
            future.completeExceptionally(error);
        }
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
            Optional<Duration> timeout = monitor.observe(
                    type,
                    Optional.ofNullable(page.timeouts().get(type.typeName())),
                    IncompleteVersionstamps.upTo(page.now()),
                    elapsed,
                    round.takesFree);
            if (!leavesLooks(type, page.now())) {
                timeout.ifPresent(of -> round.next(quarter(of), type));
            }
        });
    }

    /** {@return whether others look at a lease} */
    private boolean leavesLooks(TypeInUse type, long version) {
        return largeFleets.contains(type.typeName())
                && !looksAtNewTypes.getAsBoolean()
                && !led.contains(type.typeName())
                && !ActivityMonitor.isUnattended(type, version);
    }

    private Pause pause(Round round) {
        inUse.forEach((type, monitor) -> {
            if (!round.inUse.containsKey(type)) {
                monitor.outOfUse();
            }
        });
        inUse = round.inUse;
        closelyWatched = round.closelyWatched;
        afterRead.run();
        Duration time = time(round);
        if (round.nextForFreeLease.compareTo(LONGEST_PAUSE) < 0) {
            time = MeasuredPause.shorter(
                    time, Duration.ofNanos(environment.random().nextLong(round.nextForFreeLease.toNanos())));
        }
        return pause.sleep(environment, MeasuredPause.shorter(GAP, time), time, round.changed);
    }

    /** The processes of a large fleet may have begun at the same time, so the first long pause is a random part. */
    private Duration time(Round round) {
        if (isSpread || !round.closelyWatched.isEmpty() || !leavesToOthers()) {
            return TimerDelays.jittered(environment, round.next, JITTER_PERCENT);
        }
        isSpread = true;
        return Duration.ofNanos(environment.random().nextLong(round.next.toNanos()));
    }
}
