package dev.couchjobs.faults;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Decides what goes wrong, and how long things take. Asked once for every step, on the thread that takes it. */
public interface FaultPlan {

    /** {@return a plan by which nothing goes wrong} */
    static FaultPlan none() {
        return step -> null;
    }

    /** {@return what goes wrong at this step, or null} */
    @Nullable Fault fault(Step step);

    /** {@return completes when a commit is to go on its way} */
    default CompletableFuture<?> before(Step step) {
        return CompletableFuture.completedFuture(step);
    }

    /**
     * Comes between what became of a step and the answer to its caller.
     *
     * @param step a commit, a read that has been done, or a watch that has fired
     * @param fault what the caller is to be told of
     * @return completes when the answer is to be given
     */
    default CompletableFuture<?> after(Step step, @Nullable Fault fault) {
        return CompletableFuture.completedFuture(step);
    }
}
