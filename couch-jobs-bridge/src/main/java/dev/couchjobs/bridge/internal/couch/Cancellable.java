package dev.couchjobs.bridge.internal.couch;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A future of several steps that passes its cancellation on to the step it has come to. */
final class Cancellable<T> extends CompletableFuture<T> {
    private @Nullable CompletableFuture<?> step;

    /** {@return the step that is now under way, cancelled at once if this is} */
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
