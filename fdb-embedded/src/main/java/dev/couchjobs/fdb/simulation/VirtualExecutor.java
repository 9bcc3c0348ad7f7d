package dev.couchjobs.fdb.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An executor whose tasks wait in the one queue of a {@link VirtualScheduler}. */
abstract class VirtualExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    /** An executor that discards all tasks. */
    static final long NEVER = Long.MAX_VALUE;

    private boolean shutdown;

    /** The queue, and the time that passes there. */
    abstract VirtualScheduler time();

    /**
     * From when on its tasks run: at once if that is not in the future, and those due earlier are put off until then.
     */
    abstract long opensAtNanos();

    @Override
    public void execute(Runnable command) {
        enqueue(command, time().nanoTime());
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return start(callable(command), delay, 0, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return start(callable, delay, 0, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        if (period <= 0) {
            throw new IllegalArgumentException("A period of " + period + " never ends");
        }
        return start(callable(command), initialDelay, period, unit);
    }

    /** The same as {@link #scheduleAtFixedRate}: a task takes no virtual time. */
    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return scheduleAtFixedRate(command, initialDelay, delay, unit);
    }

    /** Rejects new tasks from now on and drops periodic ones; other waiting tasks still run when their time comes. */
    @Override
    public void shutdown() {
        shutdown = true;
        for (QueuedTask task : time().waiting(this)) {
            if (task.command() instanceof VirtualTimer<?> timer && timer.isPeriodic()) {
                timer.cancel(false);
            }
        }
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown = true;
        List<Runnable> commands = new ArrayList<>();
        for (QueuedTask task : time().waiting(this)) {
            time().forget(task);
            commands.add(task.command());
        }
        return commands;
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown && time().waiting(this).isEmpty();
    }

    /** Advances by at most the timeout instead of blocking for it. */
    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        time().advanceUntil(this::isTerminated, unit.toNanos(timeout));
        return isTerminated();
    }

    QueuedTask enqueue(Runnable command, long dueNanos) {
        if (shutdown) {
            throw new RejectedExecutionException("The virtual scheduler is shut down");
        }
        return time().enqueue(this, command, dueNanos);
    }

    private <V> VirtualTimer<V> start(Callable<V> task, long delay, long period, TimeUnit unit) {
        long nowNanos = time().nanoTime();
        long delayNanos = Math.max(0, unit.toNanos(delay));
        long dueNanos = delayNanos > Long.MAX_VALUE - nowNanos ? Long.MAX_VALUE : nowNanos + delayNanos;
        VirtualTimer<V> timer = new VirtualTimer<>(this, task, dueNanos, unit.toNanos(period));
        timer.start();
        return timer;
    }

    private static Callable<@Nullable Object> callable(Runnable command) {
        return () -> {
            command.run();
            return null;
        };
    }
}
