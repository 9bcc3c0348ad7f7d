package dev.couchjobs.bridge.internal;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/**
 * What the process does when it is asked to end: the first signal is passed on, the second ends it at once. A shutdown
 * hook alone could not tell them apart, and would make a graceful end look like a failure, by its exit status.
 */
public final class Signals {
    private static final int EXIT_BASE = 128;

    private Signals() {}

    /**
     * Has something done on the first SIGTERM or SIGINT. Where Java does not let programs see signals, it is done by a
     * shutdown hook.
     *
     * @param task what; it may not block
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

    /** By name: the only interface to signals that Java has is not one of its standard ones. */
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
