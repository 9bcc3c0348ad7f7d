package dev.couchjobs.fdb.internal.common;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.embedded.StorageException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The error that has stopped an engine for good, if there is one. All parts of an engine share it, and every task of
 * the engine runs {@linkplain #guard guarded}, so that no part goes on without the others. Thread-safe.
 */
public final class EngineFailure {
    /** The heap may be full for a moment. */
    private static final int TRIES = 3;

    private final AtomicReference<@Nullable Throwable> cause = new AtomicReference<>();
    private final CompletableFuture<FDBException> future = new CompletableFuture<>();
    private final AtomicBoolean telling = new AtomicBoolean();
    private volatile Runnable whenReported = () -> {};

    /** {@code action} runs after the first report; again if it throws, so it has to be repeatable. */
    public void whenReported(Runnable action) {
        whenReported = action;
        tell();
    }

    /** Stops the engine. Only the first error counts. */
    public void report(Throwable error) {
        // Allocates nothing: whatever happens next, nothing more is decided or read.
        cause.compareAndSet(null, error);
        tell();
    }

    /** Tells all who wait that the engine has stopped, if it has and they do not know. */
    public void tell() {
        for (int tries = 0; tries < TRIES && isUntold() && telling.compareAndSet(false, true); tries++) {
            try {
                whenReported.run();
                future.complete(asError());
            } catch (Throwable noMemory) {
                // The next try, or the next caller of the engine, tells them.
            } finally {
                telling.set(false);
            }
        }
    }

    private boolean isUntold() {
        return cause.get() != null && !future.isDone();
    }

    /** {@return the error that has stopped the engine, or null if it runs} */
    public @Nullable Throwable cause() {
        return cause.get();
    }

    /** {@return completes with {@link #asError} when all who wait for the engine have been told} */
    public CompletableFuture<FDBException> future() {
        return future;
    }

    /** {@return the error of every call after the engine has stopped} */
    public FDBException asError() {
        Throwable error = cause.get();
        if (error == null) {
            throw new IllegalStateException("The engine runs");
        }
        return asError(FdbError.INTERNAL_ERROR, error);
    }

    /** {@return the error of a call that {@code cause} ends; {@code code} is that of an error in the engine itself} */
    public static FDBException asError(FdbError code, Throwable cause) {
        if (cause instanceof StorageException) {
            return FdbError.IO_ERROR.exception(cause);
        }
        FDBException error =
                code.exception("the engine met " + cause + ", and stopped; close the database and open it again");
        error.initCause(cause);
        return error;
    }

    /** {@return a task that stops the engine if it throws} */
    public Runnable guard(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable error) {
                report(error);
            }
        };
    }

    /** {@return an executor for the tasks of the engine} */
    public Executor guard(Executor executor) {
        return task -> executor.execute(guard(task));
    }
}
