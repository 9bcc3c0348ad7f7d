package dev.couchjobs.bridge.internal;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The one place of the bridge where threads come from; timers are those of {@link dev.couchjobs.Environment}. */
public final class BridgeThreads {
    private BridgeThreads() {}

    /**
     * {@return threads for what may block, as many as there is work: virtual ones where the running Java has them, else
     * daemons that end when idle} All of the process share them.
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
        static final Executor BLOCKING = virtualThreads().orElseGet(Shared::daemons);

        /** Found by its name: this is compiled for a Java that does not have them. */
        private static Optional<Executor> virtualThreads() {
            try {
                return Optional.of((Executor) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null));
            } catch (ReflectiveOperationException e) {
                return Optional.empty();
            }
        }

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
