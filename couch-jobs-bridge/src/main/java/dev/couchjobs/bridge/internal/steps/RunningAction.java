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
 * The work under one claim on a job. It is stopped when the claim is lost or the bridge closes. The claim is released
 * only after the work has stopped, so that no other node repeats it meanwhile.
 */
public final class RunningAction {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final JobContext<?> job;
    private final Stoppable<Void> whole = new Stoppable<>();

    public RunningAction(JobContext<?> job) {
        this.job = job;
    }

    /** {@return a future that completes when the work has ended; cancelling it stops the work} */
    public Stoppable<Void> whole() {
        return whole;
    }

    /** Runs an action. {@return its result; fails if the action was stopped} */
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
     * {@return a copy of a future that fails when the work is stopped} It is for requests that may take long and do no
     * harm if they complete later.
     */
    public <T> CompletableFuture<T> unlessStopped(CompletableFuture<T> work) {
        CompletableFuture<T> either = work.copy();
        whole.whenStopped(() -> either.cancel(true));
        return either;
    }

    /**
     * Runs a transaction whose loss would repeat the action. While the storage fails, it runs again with growing
     * pauses.
     *
     * @return the result of the transaction; fails if the work is stopped before, or on any other error
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

    /** Ends together with the given future. */
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
