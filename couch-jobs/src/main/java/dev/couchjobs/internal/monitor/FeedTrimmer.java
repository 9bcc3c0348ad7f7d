package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.feed.ChangeFeed;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.ServiceRegistry;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.types.TypesWithRows;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Trims the change feeds of the types of one process, and visits only the types that have changes. */
final class FeedTrimmer implements AutoCloseable {
    private static final int TYPES_MAX = 50;
    private static final int ROUNDS_PER_RETENTION = 8;
    private static final int JITTER_PERCENT = 20;
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final long VERSIONS_PER_SECOND = 1_000_000;
    /** How far versions may run ahead of time: each recovery of a cluster skips 100 seconds of them. */
    private static final Duration SKIPPED_BY_RECOVERIES = Duration.ofHours(1);

    private final Database database;
    private final Environment environment;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final ServiceRegistry<String, ActivityMonitor> monitors;
    private final Duration retention;
    private final BooleanSupplier leavesToOthers;
    private final BatchSize batch = new BatchSize(TYPES_MAX);
    private final Loop loop;

    // Used by one round at a time.
    private final AgedVersions marks = new AgedVersions();
    private MeasuredPause pause = MeasuredPause.NONE;

    /** @param leavesToOthers whether many other processes trim the same feeds */
    FeedTrimmer(
            Instance instance,
            ServiceRegistry<String, ActivityMonitor> monitors,
            Duration retention,
            BooleanSupplier leavesToOthers) {
        this.leavesToOthers = leavesToOthers;
        this.database = instance.database();
        this.environment = instance.environment();
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions().named("trim", "");
        this.monitors = monitors;
        this.retention = retention;
        this.loop = new Loop("feed trimmer", environment, this::round);
    }

    /** Wakes the trimmer for the first monitor. */
    void start() {
        loop.wakeUp();
    }

    @Override
    public void close() {
        loop.close();
    }

    /**
     * The result of one transaction.
     *
     * @param rest the search for the next types, if there may be more
     * @param hasChanges whether a type of this process has changes in its feed
     * @param now the read version
     */
    private record TrimmedPage(Optional<TypesWithRows> rest, boolean hasChanges, Versionstamp now) {}

    private CompletableFuture<Pause> round() {
        marks.elapse(pause.slept());
        pause = new MeasuredPause();
        if (monitors.count() == 0) {
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        Optional<Versionstamp> old = marks.takeOlderThan(retention);
        return trimFrom(old, TypesWithRows.inFeed(keyspace), false).whenComplete((pause, error) -> {
            if (error != null) {
                old.ifPresent(mark -> marks.restore(mark, retention));
            }
        });
    }

    private CompletableFuture<Pause> trimFrom(Optional<Versionstamp> old, TypesWithRows search, boolean hadChanges) {
        return batch.run(tries -> transactions.run(database, tx -> tries.next(size -> trimPage(tx, old, search, size))))
                .thenCompose(page -> {
                    boolean hasChanges = hadChanges || page.hasChanges();
                    if (page.rest().isPresent()) {
                        return trimFrom(old, page.rest().get(), hasChanges);
                    }
                    marks.mark(page.now(), retention.dividedBy(ROUNDS_PER_RETENTION));
                    return CompletableFuture.completedFuture(pause(hasChanges));
                });
    }

    private CompletableFuture<TrimmedPage> trimPage(
            Transaction tx, Optional<Versionstamp> old, TypesWithRows search, int size) {
        return search.next(tx, size)
                .thenCompose(page -> tx.getReadVersion().thenCompose(version -> trimPage(tx, old, page, version)));
    }

    private CompletableFuture<TrimmedPage> trimPage(
            Transaction tx, Optional<Versionstamp> old, TypesWithRows.Page page, long version) {
        List<TypeKeys> ours = ours(page.types()).toList();
        Optional<Versionstamp> upTo = old.or(() -> longAgo(version));
        CompletableFuture<?>[] trims = ours.stream()
                .flatMap(keys -> upTo.stream().map(mark -> ChangeFeed.trim(tx, keys, mark)))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(trims)
                .thenApply(
                        done -> new TrimmedPage(page.rest(), !ours.isEmpty(), IncompleteVersionstamps.upTo(version)));
    }

    /**
     * {@return a version that is old by all means} It is for processes that never live for as long as changes are kept.
     */
    private Optional<Versionstamp> longAgo(long version) {
        long oldest = version
                - VERSIONS_PER_SECOND * retention.plus(SKIPPED_BY_RECOVERIES).toSeconds();
        return oldest > 0 ? Optional.of(IncompleteVersionstamps.upTo(oldest)) : Optional.empty();
    }

    private Stream<TypeKeys> ours(List<String> types) {
        return types.stream()
                .filter(type -> monitors.ifPresent(type).isPresent())
                .map(keyspace::type);
    }

    private Pause pause(boolean hasChanges) {
        boolean isFrequent = hasChanges && !leavesToOthers.getAsBoolean();
        Duration interval = isFrequent ? retention.dividedBy(ROUNDS_PER_RETENTION) : LONGEST_PAUSE;
        Duration time = interval.compareTo(LONGEST_PAUSE) < 0 ? interval : LONGEST_PAUSE;
        return pause.sleep(environment, TimerDelays.jittered(environment, time, JITTER_PERCENT));
    }
}
