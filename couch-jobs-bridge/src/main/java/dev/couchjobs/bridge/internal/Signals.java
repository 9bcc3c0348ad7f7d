package dev.couchjobs.bridge.internal;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/**
 * Handles the signals that end the process: the first runs a task, the second ends the process at once. A shutdown hook
 * cannot distinguish them, and the exit status of a graceful end would show a failure.
 */
public final class Signals {
    private static final int EXIT_BASE = 128;

    private Signals() {}

    /**
     * Runs a task at the first SIGTERM or SIGINT. Where Java does not deliver signals, a shutdown hook runs it.
     *
     * @param task the task; it must not block
     */
    public static void onFirst(Runnable task) {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        try {
            for (String name : List.of("TERM", "INT")) {
                handle(name, number -> {
                    if (isFirst.getAndSet(false)) {
                        task.run();
                    } else {
                        Runtime.getRuntime().halt(EXIT_BASE + number);
                    }
                });
            }
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            BridgeThreads.atShutdown(task);
        }
    }

    /** Uses reflection, because Java's only interface to signals is not a standard one. */
    private static void handle(String name, IntConsumer action) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Object proxy =
                Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, (self, method, given) -> {
                    if (method.getName().equals("handle")) {
                        action.accept((int) signal.getMethod("getNumber").invoke(given[0]));
                    }
                    return null;
                });
        signal.getMethod("handle", signal, handler)
                .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    }
}
