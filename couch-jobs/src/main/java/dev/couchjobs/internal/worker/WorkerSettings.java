package dev.couchjobs.internal.worker;

import dev.couchjobs.AcceptOptions;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * The limits, timeouts and executor of one worker.
 *
 * @param concurrency how many jobs may run at once
 * @param acceptOptions which jobs the worker claims
 * @param shutdownTimeout how long running jobs may take when the worker is closed
 * @param longTriesMax how many tries of a handler's transaction may take too long
 * @param executor runs the handlers
 * @param releaseExecutor releases the executor when the worker has ended
 */
public record WorkerSettings(
        int concurrency,
        AcceptOptions acceptOptions,
        Duration shutdownTimeout,
        int longTriesMax,
        Executor executor,
        Runnable releaseExecutor) {}
