package dev.couchjobs.examples;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** For threads that may wait: the result of a future, or its error as it is rather than wrapped. */
final class Blocking {
    private Blocking() {}

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** {@return whether it is done, well or badly, now or before so much time has passed} */
    static boolean isDoneWithin(Duration time, CompletableFuture<?> future) {
        try {
            future.get(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("This thread is not meant to be interrupted.", e);
        }
        return true;
    }
}
