package dev.couchjobs.topics.internal.messages;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one after the other. A task may block, perhaps until another has run: then another thread goes on with the
 * rest. That is much cheaper than a thread for each, and most tasks do not block.
 */
final class Turns implements Runnable {
    private static final long BLOCKED_MILLIS = 10;

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final ScheduledExecutorService scheduler;
    private final Executor executor;

    Turns(ScheduledExecutorService scheduler, Executor executor) {
        this.scheduler = scheduler;
        this.executor = executor;
    }

    void add(Runnable task) {
        tasks.add(task);
    }

    /** Runs the tasks on another thread, if there is one. */
    void runElsewhere() {
        try {
            executor.execute(this);
        } catch (Throwable e) { // it is shut down, or there is no thread or stack left
            run();
        }
    }

    @Override
    public void run() {
        Runnable task = tasks.poll();
        if (task == null) {
            return;
        }
        Future<?> relief = tasks.isEmpty() ? null : relief();
        for (; task != null; task = tasks.poll()) {
            task.run();
        }
        if (relief != null) {
            relief.cancel(false);
        }
    }

    /** {@return another thread that goes on; null if the scheduler is shut down} */
    private @Nullable Future<?> relief() {
        try {
            return scheduler.schedule(() -> executor.execute(this), BLOCKED_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            return null;
        }
    }
}
