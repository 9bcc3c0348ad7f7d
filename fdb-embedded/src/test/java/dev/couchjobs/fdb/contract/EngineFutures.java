package dev.couchjobs.fdb.contract;

import com.apple.foundationdb.FDBException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waiting for an engine's futures. The bound only turns a future that never completes into a failure. */
public final class EngineFutures {

    private static final long BOUND_SECONDS = 30;

    private EngineFutures() {}

    /**
     * The future's value.
     *
     * @throws CompletionException with the cause that the future failed with
     */
    public static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(BOUND_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("Not done after " + BOUND_SECONDS + " s: " + future, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted while waiting for " + future, e);
        }
    }

    /** FoundationDB's code for the way the future ends: zero for success. Any other failure is thrown. */
    public static int codeOf(CompletableFuture<?> future) {
        try {
            await(future);
            return 0;
        } catch (CompletionException e) {
            return codeOf(e);
        }
    }

    /** The code of the FoundationDB error that this failure is or wraps. */
    public static int codeOf(RuntimeException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof FDBException error) {
                return error.getCode();
            }
        }
        throw failure;
    }
}
