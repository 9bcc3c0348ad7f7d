package dev.couchjobs.bridge.internal.couch;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A future of several steps. Its cancellation cancels the present step. */
final class Cancellable<T> extends CompletableFuture<T> {
    private @Nullable CompletableFuture<?> step;

    /** Sets the present step, and cancels it if this is cancelled. {@return the step} */
    synchronized <S> CompletableFuture<S> nowAt(CompletableFuture<S> next) {
        step = next;
        if (isCancelled()) {
            next.cancel(true);
        }
        return next;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean isCancelled = super.cancel(mayInterruptIfRunning);
        CompletableFuture<?> last;
        synchronized (this) {
            last = step;
        }
        if (last != null) {
            last.cancel(mayInterruptIfRunning);
        }
        return isCancelled;
    }
}
