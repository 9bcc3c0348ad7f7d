package dev.couchjobs.server.internal.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Creates the threads of the command line and of the server's process. */
final class ServerThreads {
    private ServerThreads() {}

    /**
     * Adds a task that runs before the process ends.
     *
     * @param task the task; the process ends when it returns
     * @return the hook, to be removed if the task is no longer wanted
     */
    static Thread atShutdown(Runnable task) {
        Thread hook = new Thread(task, "couch-jobs-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        return hook;
    }

    /**
     * Lets go of a task.
     *
     * @param hook what {@link #atShutdown} has returned
     */
    static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shutsDown) {
            // The hook runs.
        }
    }

    /**
     * Ends the process if it has not closed in time, which a database without memory or disk may keep it from.
     *
     * @param closed counted down when it has closed
     * @param status the exit status
     */
    static void endProcess(CountDownLatch closed, Duration after, int status) {
        Thread end = new Thread(
                () -> {
                    try {
                        if (!closed.await(after.toMillis(), TimeUnit.MILLISECONDS)) {
                            Runtime.getRuntime().halt(status);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "couch-jobs-end");
        end.setDaemon(true);
        end.start();
    }

    /** {@return threads for as many tasks at once, to be shut down} */
    static ExecutorService pool(int threads) {
        return Executors.newFixedThreadPool(threads);
    }
}
