package dev.couchjobs.bridge.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The one place of the bridge where threads come from; timers are those of {@link dev.couchjobs.Environment}. */
public final class BridgeThreads {
    private BridgeThreads() {}

    /**
     * {@return threads for what may block, as many as there is work: daemons that end when idle} All of the process
     * share them. They are no virtual threads: a handler that blocks one in native code, as a read of a pipe does,
     * blocks its carrier, and on one processor there is one carrier for all.
     */
    public static Executor blocking() {
        return Shared.BLOCKING;
    }

    /**
     * Has something done when the process is asked to end, before it does.
     *
     * @param task what; the process ends when it returns
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
