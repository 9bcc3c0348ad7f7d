package dev.couchjobs.bridge.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates the threads of the bridge. Its timers are those of {@link dev.couchjobs.Environment}. */
public final class BridgeThreads {
    private BridgeThreads() {}

    /**
     * {@return threads for tasks that may block, as many as there are tasks: daemons that end when idle} The whole
     * process shares them. They are not virtual: a handler that blocks in native code, for example reading a pipe,
     * would block its carrier thread, and with one processor there is only one.
     */
    public static Executor blocking() {
        return Shared.BLOCKING;
    }

    /**
     * Adds a task that runs before the process ends.
     *
     * @param task the task; the process ends when it returns
     */
    public static void atShutdown(Runnable task) {
        Runtime.getRuntime().addShutdownHook(new Thread(task, "couch-jobs-bridge-shutdown"));
    }

    private static final class Shared {
        static final Executor BLOCKING = daemons();

        private static ExecutorService daemons() {
            AtomicInteger started = new AtomicInteger();
            return Executors.newCachedThreadPool(task -> {
                Thread thread = new Thread(task, "couch-jobs-bridge-" + started.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });
        }
    }
}
