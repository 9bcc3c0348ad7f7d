package dev.couchjobs.bridge.internal.steps;

import dev.couchjobs.JobContext;
import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.bridge.internal.action.Action;
import dev.couchjobs.bridge.internal.action.ActionContext;
import dev.couchjobs.bridge.internal.action.ActionResult;
import dev.couchjobs.bridge.internal.action.Stoppable;
import dev.couchjobs.bridge.internal.couch.Backoff;
import dev.couchjobs.bridge.internal.store.DiskErrorCheck;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
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
            BridgeContext context, Supplier<CompletableFuture<T>> transaction) {
        Backoff pauses =
                new Backoff(FIRST_PAUSE, LONGEST_PAUSE, context.environment().random());
        return stored(context, transaction, pauses);
    }

    private <T extends @Nullable Object> CompletableFuture<T> stored(
            BridgeContext context, Supplier<CompletableFuture<T>> transaction, Backoff pauses) {
        return transaction.get().exceptionallyCompose(error -> {
            if (!DiskErrorCheck.isIn(error) || whole.isStopped()) {
                return CompletableFuture.failedFuture(error);
            }
            // After a stop the transaction runs once more: the storage may have recovered during the pause.
            return pause(context, pauses)
                    .handle((over, stopped) -> transaction)
                    .thenCompose(again -> stored(context, again, pauses));
        });
    }

    /** {@return completes after the next pause; fails as soon as the work is stopped} */
    public CompletableFuture<@Nullable Void> pause(BridgeContext context, Backoff pauses) {
        CompletableFuture<@Nullable Void> over = pauses.pause(context.environment(), context.executor());
        whole.whenStopped(() -> over.cancel(false));
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
