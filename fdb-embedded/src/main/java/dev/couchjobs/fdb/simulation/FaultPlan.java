package dev.couchjobs.fdb.simulation;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Decides what goes wrong with the transactions of a {@link FaultyDatabase}, and how long things take. Called on the
 * thread that takes the step, so a plan for a database that several threads use has to be thread-safe.
 */
public interface FaultPlan {

    /**
     * A plan by which nothing goes wrong.
     *
     * @return the plan
     */
    static FaultPlan none() {
        return point -> null;
    }

    /**
     * Asked once for every read, for every commit that is about to reach the database, and for every watch.
     *
     * @param point what is about to happen; a commit that writes nothing does not fail on a cluster
     * @return what goes wrong, or null
     */
    @Nullable InjectedFault injectedFault(FaultPoint point);

    /**
     * Told of every transaction, and of every further try of one.
     *
     * @param transaction its number
     */
    default void begun(long transaction) {}

    /**
     * Called before a commit is sent, and after a watch that will fail is armed.
     *
     * @param point the commit or the watch
     * @return completes when the commit is to be sent, or the watch is to fail
     */
    default CompletableFuture<?> before(FaultPoint point) {
        return CompletableFuture.completedFuture(point);
    }

    /**
     * Told what has become of a commit, before its caller is.
     *
     * @param point the commit
     * @param error why it failed, or null
     */
    default void decided(FaultPoint point, @Nullable Throwable error) {}

    /**
     * Comes between what became of a step and the answer to its caller.
     *
     * @param point a commit, a read that has been done, or a watch that has fired
     * @param fault what went wrong with it
     * @return completes when the answer is to be given
     */
    default CompletableFuture<?> after(FaultPoint point, @Nullable InjectedFault fault) {
        return CompletableFuture.completedFuture(point);
    }
}
