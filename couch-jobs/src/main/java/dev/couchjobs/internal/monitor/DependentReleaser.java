package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.ReleaseNotice;
import dev.couchjobs.internal.data.ReleaseOutbox;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.Loop;
import dev.couchjobs.internal.loop.Pause;
import dev.couchjobs.internal.verbs.Instance;
import dev.couchjobs.internal.verbs.Transactions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Carries on with telling the dependents of jobs of all types where the transactions in which these ended had to leave
 * off, a bounded number in each transaction. Where much is left of several jobs, each of them comes first in its turn.
 *
 * <p>Any number of releasers may run on any nodes: each step reads what the others change, so what two of them both try
 * happens once. A releaser that conflicts with another waits for a moment.
 */
final class DependentReleaser implements AutoCloseable {
    private static final int ROWS_MAX = 16;
    private static final int STEP_ASIDE_MILLIS = 100;
    /** A watch tells of what is left next; this is for the case that one does not. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(5);

    private final Database database;
    private final Environment environment;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final BatchSize dependents = new BatchSize(ReleaseOutbox.DEPENDENTS_MAX);
    private final Loop loop;

    // Touched by one round at a time.
    private Optional<ReleaseNotice> behind = Optional.empty();
    /** After a failed round one, so that what always fails keeps nothing else from being told. */
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
     * The watch is armed only beside an empty hand: it reads its key, which every release that leaves something writes.
     */
    private CompletableFuture<Pause> step(Transaction tx, int dependents) {
        return ReleaseOutbox.takeUp(tx, keyspace, behind, rows, dependents).thenApply(taken -> {
            behind = taken.stream().findFirst();
            return taken.isEmpty()
                    ? Pause.until(tx.watch(keyspace.watchesReleasing())).butAtMost(LOOK_AGAIN)
                    : Pause.none();
        });
    }
}
