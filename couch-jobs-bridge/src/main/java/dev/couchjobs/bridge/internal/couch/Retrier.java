package dev.couchjobs.bridge.internal.couch;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Repeats attempts until one succeeds, one fails permanently, or this is closed. */
final class Retrier implements AutoCloseable {
    private final CouchSettings settings;
    private final ThrottledWarnings throttledWarnings;
    private final Set<Attempts<?>> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    Retrier(CouchSettings settings, ThrottledWarnings throttledWarnings) {
        this.settings = settings;
        this.throttledWarnings = throttledWarnings;
    }

    Backoff newBackoff() {
        return new Backoff(
                settings.firstPause(),
                settings.longestPause(),
                settings.environment().random());
    }

    /** {@return why the last attempt failed; empty if it succeeded} */
    Optional<String> trouble() {
        return throttledWarnings.trouble();
    }

    <T> CompletableFuture<T> retryUntilSuccess(Supplier<CompletableFuture<T>> attempt) {
        Attempts<T> attempts = new Attempts<>(attempt);
        open.add(attempts);
        attempts.make();
        return attempts.result;
    }

    @Override
    public void close() {
        isClosed = true;
        open.forEach(Attempts::giveUp);
    }

    private final class Attempts<T> {
        private final Supplier<CompletableFuture<T>> attempt;
        private final Backoff backoff = newBackoff();
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private volatile @Nullable Future<?> pause;

        Attempts(Supplier<CompletableFuture<T>> attempt) {
            this.attempt = attempt;
        }

        void make() {
            if (isClosed) {
                giveUp();
            } else {
                var unused = started().whenComplete((value, thrown) -> {
                    if (thrown == null) {
                        throttledWarnings.settle();
                        open.remove(this);
                        result.complete(value);
                    } else {
                        afterFault(TransientException.of(thrown));
                    }
                });
            }
        }

        private CompletableFuture<T> started() {
            try {
                return attempt.get();
            } catch (Throwable e) { // also an error, for which the caller would wait forever
                return CompletableFuture.failedFuture(e);
            }
        }

        private void afterFault(RuntimeException thrown) {
            if (thrown instanceof TransientException fault) {
                throttledWarnings.make(fault, backoff);
                long nanos = backoff.after(fault).toNanos();
                pause = settings.environment()
                        .scheduler()
                        .schedule(() -> settings.executor().execute(this::make), nanos, TimeUnit.NANOSECONDS);
            } else {
                open.remove(this);
                result.completeExceptionally(thrown);
            }
        }

        void giveUp() {
            open.remove(this);
            Future<?> timer = pause;
            if (timer != null) {
                timer.cancel(false);
            }
            result.completeExceptionally(new IllegalStateException("The connection to the database is closed"));
        }
    }
}
