package dev.couchjobs.server.internal.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A signal that ends the process. The process waits until the command has ended the request that it makes, and has
 * closed what it has opened; a request that takes long is given up. While the command waits for input, there is nothing
 * to wait for.
 */
final class Stop implements AutoCloseable {
    private static final Duration GLANCE = Duration.ofMillis(300);
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration CLOSING = Duration.ofSeconds(15);

    private final CountDownLatch requested = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread command = Thread.currentThread();
    private final Thread hook;
    private volatile boolean isIdle;

    Stop() {
        hook = ServerThreads.atShutdown(this::end);
    }

    boolean isRequested() {
        return requested.getCount() == 0;
    }

    /** {@return whether a signal has come within a time} */
    boolean await(Duration time) {
        try {
            return requested.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Waits for input. */
    @Nullable String line(BufferedReader input) throws IOException {
        isIdle = true;
        try {
            return input.readLine();
        } finally {
            isIdle = false;
        }
    }

    /** Waits for something that need not come to an end. */
    <T> T waiting(Supplier<T> wait) {
        isIdle = true;
        try {
            return wait.get();
        } finally {
            isIdle = false;
        }
    }

    private void end() {
        requested.countDown();
        try {
            if (!isIdle && ended.await(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
            command.interrupt();
            if (!ended.await(GLANCE.toNanos(), TimeUnit.NANOSECONDS) && !isIdle) {
                var unused = ended.await(CLOSING.toNanos(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        ended.countDown();
        ServerThreads.remove(hook);
    }
}
