package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.JobContext;
import dev.couchjobs.bridge.internal.action.Action;
import dev.couchjobs.bridge.internal.action.ActionResult;
import dev.couchjobs.bridge.internal.action.Occasion;
import dev.couchjobs.bridge.internal.action.Stoppable;
import dev.couchjobs.internal.loop.Causes;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * What is done under one claim on a job, and may have to be stopped: because the job is no longer this claim's, or the bridge
 * ends. Only when what runs has ended is the job given back, if it still can be, so that nobody does it meanwhile.
 */
final class Doing {
    private final JobContext<?> job;
    private final Stoppable<Void> whole = new Stoppable<>();

    Doing(JobContext<?> job) {
        this.job = job;
    }

    /** {@return complete when nothing is done any more; to cancel it stops what is done} */
    Stoppable<Void> whole() {
        return whole;
    }

    /** Runs an action. {@return what came of it; fails if it was stopped} */
    CompletableFuture<ActionResult> act(Action action, Occasion occasion) {
        CompletableFuture<ActionResult> result = action.run(occasion);
        whole.whenStopped(() -> result.cancel(true));
        return result.thenApply(came -> {
            if (whole.isStopped() && !came.success()) {
                throw new CancellationException(came.reason().orElse("stopped"));
            }
            return came;
        });
    }

    /** {@return the same, unless this is stopped before; for what may take long, and does no harm if it happens still} */
    <T> CompletableFuture<T> unlessStopped(CompletableFuture<T> work) {
        CompletableFuture<T> either = work.copy();
        whole.whenStopped(() -> either.cancel(true));
        return either;
    }

    /** Is at its end when this work is. */
    Stoppable<Void> until(CompletableFuture<?> work) {
        var unused = work.whenComplete((done, error) -> {
            if (error == null) {
                whole.complete(null);
            } else if (isStop(error)) {
                job.snooze(Duration.ZERO);
                whole.complete(null);
            } else {
                whole.completeExceptionally(error);
            }
        });
        return whole;
    }

    private boolean isStop(Throwable error) {
        return whole.isStopped() && Causes.of(error) instanceof CancellationException;
    }
}
