package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.Releases;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.Loop;
import dev.couchjobs.internal.loop.Pause;
import dev.couchjobs.internal.verbs.Instance;
import dev.couchjobs.internal.verbs.Transactions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Carries on with telling the dependents of jobs of one type where the transactions in which these ended had to leave off,
 * a bounded number in each transaction.
 *
 * <p>Any number of releasers may run on any nodes: each step reads what the others change, so what two of them both try
 * happens once. Whoever meets another steps aside for a moment.
 */
final class Releaser implements AutoCloseable {
    private static final int ROWS_MAX = 16;
    private static final int STEP_ASIDE_MILLIS = 100;
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    private final Database database;
    private final Environment environment;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final BatchSize dependents = new BatchSize(Releases.DEPENDENTS_MAX);
    private final Loop loop;

    Releaser(Instance instance, String typeName) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions().named("release", typeName);
        this.keys = keyspace.type(typeName);
        this.loop = new Loop("releaser of " + typeName, environment, this::round);
    }

    void start() {
        loop.poke();
    }

    @Override
    public void close() {
        loop.close();
    }

    private CompletableFuture<Pause> round() {
        return dependents.run(tries -> transactions.run(
                database,
                tx -> tries.next(
                        most -> tries.isAgain() ? CompletableFuture.completedFuture(stepAside()) : step(tx, most))));
    }

    private Pause stepAside() {
        return Pause.atMost(Duration.ofMillis(1 + environment.random().nextInt(STEP_ASIDE_MILLIS)));
    }

    /** The watch is armed only beside an empty hand: it reads its key, which every release that leaves something writes. */
    private CompletableFuture<Pause> step(Transaction tx, int dependents) {
        return Releases.takeUp(tx, keyspace, keys, ROWS_MAX, dependents)
                .thenApply(any -> any
                        ? Pause.none()
                        : Pause.until(tx.watch(keys.watchesReleasing())).butAtMost(LOOK_AGAIN));
    }
}
