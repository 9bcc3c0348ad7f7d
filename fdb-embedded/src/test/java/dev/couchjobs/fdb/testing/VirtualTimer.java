package dev.couchjobs.fdb.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A task with a due time, once or again after every period. */
final class VirtualTimer<V> extends FutureTask<V> implements ScheduledFuture<V> {

    private final VirtualScheduler scheduler;
    private final long periodNanos;
    private long dueNanos;

    /** @param periodNanos zero for a task that runs once */
    VirtualTimer(VirtualScheduler scheduler, Callable<V> task, long dueNanos, long periodNanos) {
        super(task);
        this.scheduler = scheduler;
        this.dueNanos = dueNanos;
        this.periodNanos = periodNanos;
    }

    boolean isPeriodic() {
        return periodNanos > 0;
    }

    @Override
    public void run() {
        if (!isPeriodic()) {
            super.run();
        } else if (runAndReset() && !scheduler.isShutdown()) {
            dueNanos += periodNanos;
            scheduler.enqueue(this, dueNanos);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        scheduler.forget(this);
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(dueNanos - scheduler.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
}
