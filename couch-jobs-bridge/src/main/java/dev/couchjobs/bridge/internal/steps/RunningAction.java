package dev.couchjobs.bridge.internal.steps;

import dev.couchjobs.Environment;
import dev.couchjobs.JobContext;
import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.bridge.internal.action.Action;
import dev.couchjobs.bridge.internal.action.ActionContext;
import dev.couchjobs.bridge.internal.action.ActionResult;
import dev.couchjobs.bridge.internal.action.Stoppable;
import dev.couchjobs.bridge.internal.store.DiskErrorCheck;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is done under one claim on a job, and may have to be stopped: because the job is no longer this claim's, or the
 * bridge ends. Only when what runs has ended is the job given back, if it still can be, so that no other node does it
 * meanwhile.
 */
public final class RunningAction {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final JobContext<?> job;
    private final Stoppable<Void> whole = new Stoppable<>();

    public RunningAction(JobContext<?> job) {
        this.job = job;
    }

    /** {@return complete when nothing is done any more; to cancel it stops what is done} */
    public Stoppable<Void> whole() {
        return whole;
    }

    /** Runs an action. {@return what came of it; fails if it was stopped} */
    public CompletableFuture<ActionResult> act(Action action, ActionContext context) {
        CompletableFuture<ActionResult> result = action.run(context);
        whole.whenStopped(() -> result.cancel(true));
        return result.thenApply(came -> {
            if (whole.isStopped() && !came.success()) {
                throw new CancellationException(came.reason().orElse("stopped"));
            }
            return came;
        });
    }

    /**
     * {@return the same, unless this is stopped before; for what may take long, and does no harm if it happens still}
     */
    public <T> CompletableFuture<T> unlessStopped(CompletableFuture<T> work) {
        CompletableFuture<T> either = work.copy();
        whole.whenStopped(() -> either.cancel(true));
        return either;
    }

    /**
     * Writes down what must not get lost: while the storage takes nothing, it is tried again. To give the job back
     * instead would have what was done be done again.
     *
     * @return what the transaction gave; fails if this is stopped before, or the transaction fails for another reason
     */
    public <T extends @Nullable Object> CompletableFuture<T> stored(
            Environment environment, Supplier<CompletableFuture<T>> transaction) {
        return stored(environment, transaction, FIRST_PAUSE);
    }

    private <T extends @Nullable Object> CompletableFuture<T> stored(
            Environment environment, Supplier<CompletableFuture<T>> transaction, Duration pause) {
        return transaction.get().exceptionallyCompose(error -> {
            if (!DiskErrorCheck.isIn(error) || whole.isStopped()) {
                return CompletableFuture.failedFuture(error);
            }
            Duration next = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            return pause(environment, pause).thenCompose(over -> stored(environment, transaction, next));
        });
    }

    private CompletableFuture<@Nullable Void> pause(Environment environment, Duration pause) {
        CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
        Future<?> timer =
                environment.scheduler().schedule(() -> over.complete(null), pause.toNanos(), TimeUnit.NANOSECONDS);
        whole.whenStopped(() -> {
            timer.cancel(false);
            over.complete(null);
        });
        return over;
    }

    /** Is at its end when this work is. */
    public Stoppable<Void> until(CompletableFuture<?> work) {
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
        return whole.isStopped() && RootCauses.of(error) instanceof CancellationException;
    }
}
