package dev.couchjobs.bridge.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of a bridge for tasks that may block, as many as there are tasks: daemons that end when idle. They are
 * not virtual: a handler that blocks in native code, for example reading a pipe, would block its carrier thread, and
 * with one processor there is only one. The bridge's timers are those of {@link dev.couchjobs.Environment}.
 */
public final class BridgeThreads implements Executor, AutoCloseable {
    /** The time that threads have to end, and then once more after an interrupt. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final AtomicInteger started = new AtomicInteger();
    /** Those that run: a pool that has terminated does not say when its threads have ended. */
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

    private final ExecutorService pool = Executors.newCachedThreadPool(this::newThread);

    private Thread newThread(Runnable task) {
        threads.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
        Thread thread = new Thread(task, "couch-jobs-bridge-" + started.incrementAndGet());
        thread.setDaemon(true);
        threads.add(thread);
        return thread;
    }

    /**
     * Adds a task that runs before the process ends.
     *
     * @param task the task; the process ends when it returns
     */
    public static void atShutdown(Runnable task) {
        Runtime.getRuntime().addShutdownHook(new Thread(task, "couch-jobs-bridge-shutdown"));
    }

    @Override
    public void execute(Runnable task) {
        pool.execute(task);
    }

    /** Ends the threads, which take no more tasks. A task that ignores its interrupt keeps its thread. */
    @Override
    public void close() {
        pool.shutdown();
        if (!haveEnded()) {
            pool.shutdownNow();
            haveEnded();
        }
    }

    private boolean haveEnded() {
        long end = System.nanoTime() + PATIENCE_NANOS;
        try {
            boolean haveEnded = true;
            for (Thread thread : threads) {
                if (thread != Thread.currentThread()) {
                    TimeUnit.NANOSECONDS.timedJoin(thread, end - System.nanoTime());
                    haveEnded &= !thread.isAlive();
                }
            }
            return haveEnded;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
