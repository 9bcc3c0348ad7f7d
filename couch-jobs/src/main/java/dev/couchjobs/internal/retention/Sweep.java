package dev.couchjobs.internal.retention;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.RetireIndex;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.Loop;
import dev.couchjobs.internal.loop.Pause;
import dev.couchjobs.internal.verbs.Instance;
import dev.couchjobs.internal.verbs.Transactions;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * Removes the jobs of one type whose time is up, as {@code remove} would, some at a time and never by a scan.
 *
 * <p>Any number of processes may sweep a type. They meet over the rows of the jobs and nothing else; one that has lost
 * such a meeting looks for its next jobs some way behind the first.
 */
final class Sweep implements AutoCloseable {
    private static final int JOBS_MAX = 100;
    private static final int ROWS_SKIPPED_MAX = 20;

    private final Database database;
    private final Environment environment;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final Naps naps;
    private final Clocks clocks;
    private final BatchSize batch = new BatchSize(JOBS_MAX);
    private final Loop loop;

    Sweep(Instance instance, JobType<?, ?> type, Clocks clocks) {
        this.clocks = clocks;
        this.database = instance.database();
        this.environment = instance.environment();
        this.transactions = instance.transactions().named("retire", type.name());
        this.keys = instance.keyspace().type(type.name());
        this.naps = new Naps(environment, type.retention());
        this.loop = new Loop("retention of " + type, environment, this::round);
    }

    void start() {
        loop.poke();
    }

    @Override
    public void close() {
        loop.close();
    }

    /** One bounded transaction. */
    private CompletableFuture<Pause> round() {
        return batch.run(tries -> transactions.run(
                database,
                tx -> tries.next(size -> {
                    int skip = tries.isAgain() ? environment.random().nextInt(ROWS_SKIPPED_MAX) : 0;
                    return sweep(tx, environment.clock().instant(), skip, size);
                })));
    }

    private CompletableFuture<Pause> sweep(Transaction tx, Instant now, int skip, int jobs) {
        CompletableFuture<Boolean> mayRemove = clocks.mayRemove(tx, now);
        return DueJobs.read(tx, keys, false, now.getEpochSecond(), skip, jobs)
                .thenCompose(due -> mayRemove.thenCompose(may -> next(tx, due, may)));
    }

    private CompletableFuture<Pause> next(Transaction tx, DueJobs due, boolean mayRemove) {
        if (due.isEmpty()) {
            return RetireIndex.nextDue(tx, keys, false).thenApply(naps::until);
        }
        if (!mayRemove) {
            return CompletableFuture.completedFuture(naps.untilClocksAgree());
        }
        return due.borneOut(tx, keys).thenApply(ended -> {
            due.remove(tx, keys, ended, due.rows());
            return Pause.none();
        });
    }
}
