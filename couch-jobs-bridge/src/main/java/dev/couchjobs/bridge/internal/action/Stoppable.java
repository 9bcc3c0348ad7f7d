package dev.couchjobs.bridge.internal.action;

import java.util.concurrent.CompletableFuture;

/**
 * A future of work that stops with a delay. cancel() requests the stop. The future completes when the work has stopped;
 * only then may another node take the work over.
 *
 * @param <T> what comes of it
 */
public final class Stoppable<T> extends CompletableFuture<T> {
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    /**
     * Asks it to end.
     *
     * @return false: it has not ended by that
     */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        stopped.complete(null);
        return false;
    }

    /** {@return whether it was asked to end} */
    public boolean isStopped() {
        return stopped.isDone();
    }

    /**
     * Has something done when it is asked to end, or at once if it was.
     *
     * @param task what
     */
    public void whenStopped(Runnable task) {
        FutureCallbacks.whenEnded(stopped, task);
    }
}
