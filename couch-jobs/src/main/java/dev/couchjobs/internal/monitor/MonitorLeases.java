package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.data.IncompleteVersionstamps;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.TypeInUse;
import dev.couchjobs.internal.data.TypeTimeouts;
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

/**
 * Shows the monitors of one process which of their types are in use and which processes hold the monitor leases, so
 * that one process monitors each type in use.
 *
 * <p>While no type is in use, the cost is one watch for all types. While other processes monitor types of this process,
 * it reads all leases with one look, four times in the shortest of their timeouts.
 */
final class MonitorLeases implements AutoCloseable {
    private static final int TYPES_MAX = 1_000;
    private static final int JITTER_PERCENT = 10;
    /** Types that come into use within this time share one look. */
    private static final Duration GAP = TypeTimeouts.TIMEOUT_MIN.dividedBy(ActivityMonitor.MARKS_PER_TIMEOUT);
    /** The longest pause, in case that a watch is lost. */
    private static final Duration LONGEST_REST = Duration.ofMinutes(5);

    private final Database database;
    private final Environment environment;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final ServiceRegistry<String, ActivityMonitor> monitors;
    private final BatchSize batch = new BatchSize(TYPES_MAX);
    private final Loop loop;

    // Used by one round at a time.
    private MeasuredPause pause = MeasuredPause.NONE;
    /** How long it has slept in all. */
    private Duration elapsed = Duration.ZERO;
    /** The monitors whose types were in use at the last look. */
    private volatile Map<String, ActivityMonitor> known = Map.of();

    private volatile Runnable afterLook = () -> {};

    MonitorLeases(Instance instance, ServiceRegistry<String, ActivityMonitor> monitors) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions().named("read", "monitor leases");
        this.monitors = monitors;
        this.loop = new Loop("monitor leases", environment, this::round);
    }

    boolean isInUse(String typeName) {
        return known.containsKey(typeName);
    }

    void afterEachLook(Runnable listener) {
        afterLook = listener;
    }

    /** Wakes the loop for a new monitor. */
    void look() {
        loop.wakeUp();
    }

    @Override
    public void close() {
        loop.close();
    }

    /** The findings of one round. */
    private static final class Seen {
        private final Map<String, ActivityMonitor> inUse = new HashMap<>();
        /**
         * The longest pause before the next look; a random earlier time if a lease is to be taken that no process
         * holds.
         */
        private Duration next = LONGEST_REST;

        private Duration nextForFreeLease = LONGEST_REST;
        private CompletableFuture<Void> news = new CompletableFuture<>();

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
     * @param limits the activity timeouts of the types that were not observed before
     * @param now the read version
     * @param news completes when a further type comes into use
     * @param next the last type, if there may be more
     */
    private record Page(
            List<TypeInUse> types,
            Map<String, Optional<Duration>> limits,
            Versionstamp now,
            Optional<CompletableFuture<Void>> news,
            Optional<String> next) {}

    private CompletableFuture<Pause> round() {
        elapsed = elapsed.plus(pause.slept());
        pause = new MeasuredPause();
        if (monitors.count() == 0) {
            known = Map.of();
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        Seen seen = new Seen();
        return look(seen, Optional.empty()).thenApply(this::pause).whenComplete((pause, error) -> {
            if (error != null) {
                seen.news.cancel(false);
            }
        });
    }

    private CompletableFuture<Seen> look(Seen seen, Optional<String> after) {
        return batch.run(tries -> transactions.run(database, tx -> tries.next(size -> page(tx, after, size))))
                .thenCompose(page -> {
                    page.news().ifPresent(news -> seen.news = news);
                    page.types().forEach(type -> tell(type, page, seen));
                    return page.next().isEmpty() ? CompletableFuture.completedFuture(seen) : look(seen, page.next());
                });
    }

    /** Reads one page. The first page arms the watch, so a type that comes into use later is news, on any page. */
    private CompletableFuture<Page> page(Transaction tx, Optional<String> after, int size) {
        Optional<CompletableFuture<Void>> news =
                after.isEmpty() ? Optional.of(tx.watch(keyspace.watchesInUse())) : Optional.empty();
        return TypeInUse.list(tx, keyspace, after, size).thenCompose(types -> {
            Optional<String> next = types.size() < size
                    ? Optional.empty()
                    : Optional.of(types.get(types.size() - 1).typeName());
            return limits(tx, types)
                    .thenCombine(
                            tx.getReadVersion(),
                            (limits, version) ->
                                    new Page(types, limits, IncompleteVersionstamps.upTo(version), news, next));
        });
    }

    /** Reads the timeouts. The monitor of a type reports a timeout that cannot be decoded. */
    private CompletableFuture<Map<String, Optional<Duration>>> limits(Transaction tx, List<TypeInUse> types) {
        Map<String, CompletableFuture<Optional<Duration>>> reads = new HashMap<>();
        types.stream()
                .filter(type -> monitors.ifPresent(type.typeName())
                        .filter(monitor -> monitor.isToLearnTimeout(type))
                        .isPresent())
                .forEach(type ->
                        reads.put(type.typeName(), TypeTimeouts.getIfReadable(tx, keyspace.type(type.typeName()))));
        return CompletableFuture.allOf(reads.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    Map<String, Optional<Duration>> limits = new HashMap<>();
                    reads.forEach((type, read) -> limits.put(type, read.join()));
                    return limits;
                });
    }

    private void tell(TypeInUse type, Page page, Seen seen) {
        monitors.ifPresent(type.typeName()).ifPresent(monitor -> {
            seen.inUse.put(type.typeName(), monitor);
            monitor.observe(type, Optional.ofNullable(page.limits().get(type.typeName())), page.now(), elapsed)
                    .ifPresent(timeout -> seen.next(timeout.dividedBy(ActivityMonitor.MARKS_PER_TIMEOUT), type));
        });
    }

    private Pause pause(Seen seen) {
        known.forEach((type, monitor) -> {
            if (!seen.inUse.containsKey(type)) {
                monitor.outOfUse();
            }
        });
        known = seen.inUse;
        Duration time = TimerDelays.jittered(environment, seen.next, JITTER_PERCENT);
        afterLook.run();
        if (seen.nextForFreeLease.compareTo(LONGEST_REST) < 0) {
            time = shorter(time, Duration.ofNanos(environment.random().nextLong(seen.nextForFreeLease.toNanos())));
        }
        return pause.sleep(environment, shorter(GAP, time), time, seen.news);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
