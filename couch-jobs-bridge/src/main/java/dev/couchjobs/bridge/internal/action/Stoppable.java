package dev.couchjobs.bridge.internal.action;

import java.util.concurrent.CompletableFuture;

/**
 * A future of work that stops with a delay. {@code cancel} requests the stop. The future completes when the work has
 * stopped; only then may another node take the work over.
 *
 * @param <T> the type of the result
 */
public final class Stoppable<T> extends CompletableFuture<T> {
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    /**
     * Requests the stop.
     *
     * @return false, because the work has not stopped yet
     */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        stopped.complete(null);
        return false;
    }

    /** {@return whether the stop was requested} */
    public boolean isStopped() {
        return stopped.isDone();
    }

    /**
     * Runs a task when the stop is requested, or at once if it was.
     *
     * @param task the task
     */
    public void whenStopped(Runnable task) {
        FutureCallbacks.whenEnded(stopped, task);
    }
}
