package dev.couchjobs.internal.worker;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.internal.observe.MiddlewareChain;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/**
 * The identity, limits, timeouts and executor of one worker.
 *
 * @param identity what the worker says of itself
 * @param concurrency how many jobs may run at once, at first
 * @param acceptOptions which jobs the worker claims
 * @param shutdownTimeout how long running jobs may take when the worker is closed
 * @param longTriesMax how many tries of a handler's transaction may take too long
 * @param middleware is called around attempts
 * @param executor runs the handlers
 * @param executorToClose is shut down when the worker has ended
 */
public record WorkerSettings(
        Identity identity,
        int concurrency,
        AcceptOptions acceptOptions,
        Duration shutdownTimeout,
        int longTriesMax,
        MiddlewareChain middleware,
        Executor executor,
        Optional<ExecutorService> executorToClose) {

    /**
     * What a worker says of itself as long as it lives.
     *
     * @param name the name by which it is steered
     * @param host the host of its process
     * @param libraryVersion the version of the library
     */
    public record Identity(String name, String host, String libraryVersion) {}
}
