package dev.couchjobs.server.internal.cli;

/** Creates the threads of the server's process. */
final class ServerThreads {
    private ServerThreads() {}

    /**
     * Adds a task that runs before the process ends.
     *
     * @param task the task; the process ends when it returns
     */
    static void atShutdown(Runnable task) {
        Runtime.getRuntime().addShutdownHook(new Thread(task, "couch-jobs-server-shutdown"));
    }
}
