package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.dependencies.ReleaseNotice;
import dev.couchjobs.internal.dependencies.ReleaseOutbox;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Delivers the release notices that the transactions that end jobs leave in the outbox, for all types. Each transaction
 * notifies a bounded number of dependents. Jobs with many dependents are served round-robin.
 *
 * <p>Any number of releasers may run on any nodes. Each transaction reads the rows that the other releasers write, so
 * two releasers notify a dependent once. A releaser that conflicts with another pauses briefly.
 */
final class DependentReleaser implements AutoCloseable {
    private static final int ROWS_MAX = 16;
    private static final int BACKOFF_MAX_MILLIS = 100;
    /** The longest pause, in case a watch is lost. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private final Database database;
    private final Environment environment;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final BatchSize dependents = new BatchSize(ReleaseOutbox.DEPENDENTS_MAX);
    private final Loop loop;

    // Used by one round at a time.
    private Optional<ReleaseNotice> last = Optional.empty();
    /** One after a failed round, so that a notice that always fails blocks no other. */
    private volatile int rows = ROWS_MAX;

    DependentReleaser(Instance instance) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions().named("release", "");
        this.loop = new Loop("releaser", environment, this::round);
    }

    void start() {
        loop.wakeUp();
    }

    @Override
    public void close() {
        loop.close();
    }

    private CompletableFuture<Pause> round() {
        return dependents
                .run(tries -> transactions.run(
                        database,
                        tx -> tries.next(most -> tries.isRetry()
                                ? CompletableFuture.completedFuture(backOff())
                                : releaseSome(tx, most))))
                .whenComplete((pause, error) -> rows = error == null ? ROWS_MAX : 1);
    }

    private Pause backOff() {
        return Pause.atMost(Duration.ofMillis(1 + environment.random().nextInt(BACKOFF_MAX_MILLIS)));
    }

    /**
     * Arms the watch only when no notice is left. The watch reads its key, which every transaction that leaves notices
     * writes.
     */
    private CompletableFuture<Pause> releaseSome(Transaction tx, int dependents) {
        return ReleaseOutbox.takeBacklog(tx, keyspace, last, rows, dependents).thenApply(taken -> {
            last = taken.stream().findFirst();
            return taken.isEmpty()
                    ? Pause.until(tx.watch(keyspace.row("watches_releasing"))).cappedAt(LONGEST_PAUSE)
                    : Pause.none();
        });
    }
}
