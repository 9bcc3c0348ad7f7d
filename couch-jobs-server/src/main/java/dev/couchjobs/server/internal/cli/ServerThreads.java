package dev.couchjobs.server.internal.cli;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

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

    /** {@return threads for as many tasks at once, to be shut down} */
    static ExecutorService pool(int threads) {
        return Executors.newFixedThreadPool(threads);
    }
}
