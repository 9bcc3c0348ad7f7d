package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.dependencies.ReleaseNotice;
import dev.couchjobs.internal.dependencies.ReleaseOutbox;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Settles the dependents of ended jobs, for all types, where the ending transactions left some unsettled: a bounded
 * number in each transaction. Jobs with many dependents are served round-robin.
 *
 * <p>Any number of releasers may run on any nodes. Each step reads what the others write, so two releasers settle a
 * dependent once. A releaser that conflicts with another pauses briefly.
 */
final class DependentReleaser implements AutoCloseable {
    private static final int ROWS_MAX = 16;
    private static final int STEP_ASIDE_MILLIS = 100;
    /** The longest pause, in case that a watch is lost. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(5);

    private final Database database;
    private final Environment environment;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final BatchSize dependents = new BatchSize(ReleaseOutbox.DEPENDENTS_MAX);
    private final Loop loop;

    // Used by one round at a time.
    private Optional<ReleaseNotice> behind = Optional.empty();
    /** After a failed round one, so that a job that always fails blocks no other. */
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
                        tx -> tries.next(most ->
                                tries.isAgain() ? CompletableFuture.completedFuture(backOff()) : step(tx, most))))
                .whenComplete((pause, error) -> rows = error == null ? ROWS_MAX : 1);
    }

    private Pause backOff() {
        return Pause.atMost(Duration.ofMillis(1 + environment.random().nextInt(STEP_ASIDE_MILLIS)));
    }

    /**
     * Arms the watch only when nothing is left. The watch reads its key, which every release that leaves something
     * writes.
     */
    private CompletableFuture<Pause> step(Transaction tx, int dependents) {
        return ReleaseOutbox.takeUp(tx, keyspace, behind, rows, dependents).thenApply(taken -> {
            behind = taken.stream().findFirst();
            return taken.isEmpty()
                    ? Pause.until(tx.watch(keyspace.watchesReleasing())).cappedAt(LOOK_AGAIN)
                    : Pause.none();
        });
    }
}
