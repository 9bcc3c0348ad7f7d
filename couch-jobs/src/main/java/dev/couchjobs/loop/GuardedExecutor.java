package dev.couchjobs.loop;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransactionContext;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.loop.GuardedEnvironment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The executors of databases and transactions, which are their users': they may refuse a task, or throw anything. What
 * they refuse runs on a timer thread, so that nothing is lost in the middle. Such a failure is logged once a minute.
 */
public final class GuardedExecutor {
    private GuardedExecutor() {}

    /**
     * {@return the executor of a database; what it refuses runs on the scheduler of an environment}
     *
     * @param database the database
     * @param environment its scheduler may refuse a task, too, if it was shut down
     */
    public static Executor of(Database database, Environment environment) {
        return GuardedEnvironment.around(database::getExecutor, environment.guarded());
    }

    /**
     * {@return the executor of a transaction; what it refuses runs on a timer thread of the library}
     *
     * @param context the transaction, or a database whose environment is not known
     */
    public static Executor of(ReadTransactionContext context) {
        return GuardedEnvironment.around(context::getExecutor);
    }

    /**
     * Repeats asynchronous work until it says that there is no more. Unlike the loop of {@code AsyncUtil} it ends
     * whatever the work or the executor throws.
     *
     * @param work begins one turn; the future says whether another one follows
     * @param executor continues after a turn that has ended on another thread
     * @return completes after the last turn; fails with what was thrown
     */
    public static CompletableFuture<@Nullable Void> whileTrue(
            Supplier<CompletableFuture<Boolean>> work, Executor executor) {
        Turns turns = new Turns(work, executor);
        turns.run();
        return turns.done;
    }

    private static final class Turns implements Runnable {
        private final Supplier<CompletableFuture<Boolean>> work;
        private final Executor executor;
        final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

        Turns(Supplier<CompletableFuture<Boolean>> work, Executor executor) {
            this.work = work;
            this.executor = executor;
        }

        /** Goes on as long as turns end at once, so that many of them are no deep stack. */
        @Override
        public void run() {
            try {
                CompletableFuture<Boolean> turn = work.get();
                while (turn.isDone()) {
                    if (!turn.join()) {
                        done.complete(null);
                        return;
                    }
                    turn = work.get();
                }
                var unused = turn.whenComplete(this::ended);
            } catch (Throwable e) { // errors, too: nobody else would end the future
                done.completeExceptionally(e);
            }
        }

        private void ended(Boolean isMore, @Nullable Throwable error) {
            try {
                if (error != null) {
                    done.completeExceptionally(error);
                } else if (isMore) {
                    executor.execute(this);
                } else {
                    done.complete(null);
                }
            } catch (Throwable e) { // the executor was shut down
                done.completeExceptionally(e);
            }
        }
    }
}
