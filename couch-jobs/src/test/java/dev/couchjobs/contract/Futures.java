package dev.couchjobs.contract;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waiting for futures. The bound only turns a future that never completes into a failure. */
final class Futures {
    private static final long BOUND_SECONDS = 30;

    private Futures() {}

    /**
     * The future's value.
     *
     * @throws CompletionException with the cause that the future failed with
     */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(BOUND_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new CompletionException(unwrapped(e));
        } catch (TimeoutException e) {
            throw new AssertionError("Not done after " + BOUND_SECONDS + " s: " + future, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted while waiting for " + future, e);
        }
    }

    /** Waits until a latch has been counted down. */
    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(BOUND_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("Still to be counted down after " + BOUND_SECONDS + " s: " + latch);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted while waiting for " + latch, e);
        }
    }

    /** What the future failed with, without the wrappers that futures put around it. */
    static Throwable failureOf(CompletableFuture<?> future) {
        Object value;
        try {
            value = await(future);
        } catch (CompletionException e) {
            return unwrapped(e);
        }
        throw new AssertionError("Expected a failure, but it came to " + value);
    }

    private static Throwable unwrapped(Throwable error) {
        Throwable cause = error;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
