package dev.couchjobs.fdb.simulation;

import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A task with a due time, once or again after every period. */
final class VirtualTimer<V> extends FutureTask<V> implements ScheduledFuture<V> {

    private final VirtualExecutor executor;
    private final long periodNanos;
    private long dueNanos;
    private @Nullable QueuedTask queued;

    /** @param periodNanos zero for a task that runs once */
    VirtualTimer(VirtualExecutor executor, Callable<V> task, long dueNanos, long periodNanos) {
        super(task);
        this.executor = executor;
        this.dueNanos = dueNanos;
        this.periodNanos = periodNanos;
    }

    boolean isPeriodic() {
        return periodNanos > 0;
    }

    void start() {
        queued = executor.enqueue(this, dueNanos);
    }

    /** It now waits here. */
    void queuedAs(QueuedTask task) {
        queued = task;
    }

    @Override
    public void run() {
        queued = null;
        if (!isPeriodic()) {
            super.run();
        } else if (runAndReset() && !executor.isShutdown()) {
            dueNanos += periodNanos;
            start();
        }
    }

    /** On a foreign thread it stays in the queue, and does nothing when its time comes. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (queued != null) {
            executor.time().forget(queued);
        }
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(dueNanos - executor.time().nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
}
