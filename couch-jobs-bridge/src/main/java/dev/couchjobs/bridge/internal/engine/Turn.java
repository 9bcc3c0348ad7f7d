package dev.couchjobs.bridge.internal.engine;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.NewJob;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One transaction of the bridge: what is written in it, the jobs that it adds, all in one call because they cost less so,
 * and what is to be done once it is committed.
 */
final class Turn {
    private final Transaction tx;
    private final List<NewJob<?>> jobs = new ArrayList<>();
    private final List<Runnable> afterwards = new ArrayList<>();

    private Turn(Transaction tx) {
        this.tx = tx;
    }

    Transaction tx() {
        return tx;
    }

    void add(NewJob<?> job) {
        jobs.add(job);
    }

    /** Has something done when this is committed; not if the process ends before. */
    void afterwards(Runnable action) {
        afterwards.add(action);
    }

    private <T> CompletableFuture<T> end(CouchJobs couchJobs, T result) {
        return jobs.isEmpty()
                ? CompletableFuture.completedFuture(result)
                : couchJobs.addAll(tx, jobs).thenApply(ids -> result);
    }

    /** Something that runs transactions: a database, or a job that is held. */
    interface Runner {
        <T> CompletableFuture<T> run(Function<Transaction, CompletableFuture<T>> body);

        /** {@return one that runs them by themselves} */
        static Runner of(Database database) {
            return new Runner() {
                @Override
                public <T> CompletableFuture<T> run(Function<Transaction, CompletableFuture<T>> body) {
                    return database.runAsync(body);
                }
            };
        }
    }

    private record Ended<T extends @Nullable Object>(T result, List<Runnable> afterwards) {
        T close() {
            afterwards.forEach(Runnable::run);
            return result;
        }
    }

    /** Runs a turn, as often as it takes. {@return what its body gave, when all of it is committed} */
    static <T extends @Nullable Object> CompletableFuture<T> run(
            Runner runner, CouchJobs couchJobs, Function<Turn, CompletableFuture<T>> body) {
        return runner.run(tx -> {
                    Turn turn = new Turn(tx);
                    return body.apply(turn)
                            .thenCompose(result -> turn.end(couchJobs, new Ended<>(result, turn.afterwards)));
                })
                .thenApply(Ended::close);
    }
}
