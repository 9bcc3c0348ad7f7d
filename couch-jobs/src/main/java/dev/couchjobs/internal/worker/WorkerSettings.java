package dev.couchjobs.internal.worker;

import dev.couchjobs.AcceptOptions;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * What a worker may have otherwise than others.
 *
 * @param concurrency how many jobs may run at once
 * @param wanted which jobs it takes
 * @param shutdownTimeout how long those that run may take when the worker is closed
 * @param longTriesMax how many tries of a handler's transaction may take too long
 * @param executor runs the handlers
 * @param releaseExecutor releases the executor when the worker has ended
 */
public record WorkerSettings(
        int concurrency,
        AcceptOptions wanted,
        Duration shutdownTimeout,
        int longTriesMax,
        Executor executor,
        Runnable releaseExecutor) {}
