package dev.couchjobs.internal.loop;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes daemon threads and remembers those that run: an executor that has terminated does not say when its threads have
 * ended.
 */
public final class DaemonThreads implements ThreadFactory {
    private static final long IDLE_SECONDS = 60;

    private final String name;
    private final AtomicInteger started = new AtomicInteger();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

    /** @param name what the names of the threads begin with */
    DaemonThreads(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable task) {
        threads.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
        Thread thread = new Thread(task, name + started.incrementAndGet());
        thread.setDaemon(true);
        threads.add(thread);
        return thread;
    }

    /** Waits until all threads have ended but the one that calls. {@return whether they have within the time} */
    boolean awaitEnd(long timeout, TimeUnit unit) throws InterruptedException {
        long end = System.nanoTime() + unit.toNanos(timeout);
        boolean haveEnded = true;
        for (Thread thread : threads) {
            if (thread != Thread.currentThread()) {
                TimeUnit.NANOSECONDS.timedJoin(thread, end - System.nanoTime());
                haveEnded &= !thread.isAlive();
            }
        }
        return haveEnded;
    }

    /** {@return an executor with a thread for each task, which waits a minute for another one} */
    public static ThreadPoolExecutor pool(String name) {
        return new Pool(new DaemonThreads(name));
    }

    private static final class Pool extends ThreadPoolExecutor {
        private final DaemonThreads threads;

        Pool(DaemonThreads threads) {
            super(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
            this.threads = threads;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
            return super.awaitTermination(timeout, unit) && threads.awaitEnd(timeout, unit);
        }
    }
}
