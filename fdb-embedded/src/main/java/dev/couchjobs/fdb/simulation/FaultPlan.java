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
        return step -> null;
    }

    /**
     * Asked once for every read, for every commit that is about to reach the database, and for every watch.
     *
     * @param step what is about to happen; a commit that writes nothing does not fail on a cluster
     * @return what goes wrong, or null
     */
    @Nullable Mishap mishap(Step step);

    /**
     * Told of every transaction, and of every further try of one.
     *
     * @param transaction its number
     */
    default void begun(long transaction) {}

    /**
     * Asked before a commit goes on its way, and once a watch that comes to grief is armed.
     *
     * @param step the commit or the watch
     * @return completes when the commit is to reach the database, or the watch to come to grief
     */
    default CompletableFuture<?> before(Step step) {
        return CompletableFuture.completedFuture(step);
    }

    /**
     * Told what has become of a commit, before its caller is.
     *
     * @param step the commit
     * @param error why it failed, or null
     */
    default void decided(Step step, @Nullable Throwable error) {}

    /**
     * Comes between what became of a step and the answer to its caller.
     *
     * @param step a commit, a read that has been done, or a watch that has fired
     * @param mishap what went wrong with it
     * @return completes when the answer is to be given
     */
    default CompletableFuture<?> after(Step step, @Nullable Mishap mishap) {
        return CompletableFuture.completedFuture(step);
    }
}
