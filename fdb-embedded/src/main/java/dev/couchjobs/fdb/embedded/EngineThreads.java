package dev.couchjobs.fdb.embedded;

import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The daemon threads of one engine. They start when they are needed, and end when they are idle or shut down. */
final class EngineThreads {
    private static final int IDLE_SECONDS = 10;
    private static final int END_SECONDS = 10;

    private final AtomicInteger started = new AtomicInteger();
    /** Those that run or are about to. */
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

    private final ExecutorService executor = Executors.newCachedThreadPool(this::newThread);
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, this::newThread);

    /** A thread that knows its owner. */
    private static final class EngineThread extends Thread {
        private final EngineThreads owner;

        EngineThread(EngineThreads owner, Runnable task, String name) {
            super(task, name);
            this.owner = owner;
            setDaemon(true);
        }
    }

    EngineThreads() {
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    private Thread newThread(Runnable task) {
        threads.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
        Thread thread = new EngineThread(this, task, "fdb-embedded-" + started.incrementAndGet());
        threads.add(thread);
        return thread;
    }

    EngineEnvironment environment() {
        return new EngineEnvironment(
                executor,
                timer,
                System::nanoTime,
                new Random(),
                Runtime.getRuntime().maxMemory());
    }

    /** Lets the threads finish what they have, and end. */
    void shutDown() {
        timer.shutdown();
        executor.shutdown();
    }

    /**
     * Waits until the threads have ended, for ten seconds at most: a continuation of a user may run on one of them. One
     * of the threads themselves does not wait.
     */
    void awaitEnd() {
        if (Thread.currentThread() instanceof EngineThread thread && thread.owner == this) {
            return;
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        try {
            if (timer.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                for (Thread thread : threads) {
                    TimeUnit.NANOSECONDS.timedJoin(thread, end - System.nanoTime());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
