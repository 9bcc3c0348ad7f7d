package dev.couchjobs.fdb.testing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An executor, a timer and two clocks on one thread and in virtual time.
 *
 * <p>Nothing runs by itself. Tasks wait until the test calls {@link #runUntilIdle}, {@link #advance} or {@link #await};
 * they then run on the calling thread, in the order in which they are due, ties in the order in which they were
 * submitted. The same test therefore runs the same tasks in the same order every time.
 *
 * <p>The first thread that submits or drives owns the scheduler. A submission from any other thread is rejected, and
 * driving it from there fails: either would mean that the code under test has a thread of its own. Tasks may submit
 * further tasks and may drive the scheduler themselves. What a plain {@link #execute executed} task throws comes out of
 * the call that drove it.
 */
public final class VirtualScheduler extends AbstractExecutorService implements ScheduledExecutorService, InstantSource {

    private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
    private static final long LONGEST_AWAIT_NANOS = Duration.ofDays(1).toNanos();
    private static final int MOST_TASKS_PER_INSTANT = 1_000_000;

    private final PriorityQueue<QueuedTask> queue = new PriorityQueue<>();
    private @Nullable Thread owner;
    private Instant wallClockAtZero = EPOCH;
    private long nowNanos;
    private long submissions;
    private int tasksInThisInstant;
    private boolean shutdown;

    /** Creates a scheduler whose {@link #nanoTime} is zero and whose wall clock shows the start of 2026 in UTC. */
    public VirtualScheduler() {}

    /** Runs every task that is due now, and those they submit for now; time does not move. */
    public void runUntilIdle() {
        checkOwner();
        runTasksDueUntil(nowNanos);
    }

    /**
     * Moves time forward, and runs each task at the moment it is due.
     *
     * @param duration how far; zero is the same as {@link #runUntilIdle}
     */
    public void advance(Duration duration) {
        checkOwner();
        if (duration.isNegative()) {
            throw new IllegalArgumentException("Time cannot be moved back by " + duration);
        }
        long target = nowNanos + duration.toNanos();
        runTasksDueUntil(target);
        moveTo(target);
    }

    /**
     * Runs tasks until the future is done, jumping to the next timer whenever nothing is due.
     *
     * @return the future's value
     * @throws AssertionError if the future is still open when no task is left, or after a day of virtual time
     * @throws java.util.concurrent.CompletionException if the future fails, as {@link CompletableFuture#join} does
     */
    public <T> T await(CompletableFuture<T> future) {
        checkOwner();
        long deadline = nowNanos + LONGEST_AWAIT_NANOS;
        while (!future.isDone()) {
            QueuedTask next = queue.peek();
            if (next == null) {
                throw new AssertionError("Nothing is left to run, and the awaited future is not done: " + future);
            }
            if (next.dueNanos() > deadline) {
                throw new AssertionError("A day of virtual time was not enough for the awaited future: " + future);
            }
            runNext();
        }
        return future.join();
    }

    /** Virtual nanoseconds since creation; unlike the wall clock it never jumps. */
    public long nanoTime() {
        return nowNanos;
    }

    /** The virtual wall clock: it moves along with {@link #nanoTime}, and jumps with {@link #setInstant}. */
    @Override
    public Instant instant() {
        return wallClockAtZero.plusNanos(nowNanos);
    }

    /** Sets the wall clock, forward or back. No timer notices. */
    public void setInstant(Instant instant) {
        wallClockAtZero = instant.minusNanos(nowNanos);
    }

    @Override
    public void execute(Runnable command) {
        enqueue(command, nowNanos);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return start(Executors.callable(command), delay, 0, unit);
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
        return start(Executors.callable(command), initialDelay, period, unit);
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
        List<VirtualTimer<?>> periodic = new ArrayList<>();
        for (QueuedTask task : queue) {
            if (task.command() instanceof VirtualTimer<?> timer && timer.isPeriodic()) {
                periodic.add(timer);
            }
        }
        periodic.forEach(timer -> timer.cancel(false));
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown = true;
        List<Runnable> waiting = new ArrayList<>();
        for (QueuedTask task = queue.poll(); task != null; task = queue.poll()) {
            waiting.add(task.command());
        }
        return waiting;
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown && queue.isEmpty();
    }

    /** Advances by at most the timeout instead of blocking for it. */
    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        checkOwner();
        long deadline = nowNanos + unit.toNanos(timeout);
        runTasksDueUntil(deadline);
        if (!isTerminated()) {
            moveTo(deadline);
        }
        return isTerminated();
    }

    void enqueue(Runnable command, long dueNanos) {
        if (shutdown) {
            throw new RejectedExecutionException("The virtual scheduler is shut down");
        }
        if (!isOwnedByThisThread()) {
            throw new RejectedExecutionException(
                    "The virtual scheduler belongs to " + owner + ", not to " + Thread.currentThread());
        }
        queue.add(new QueuedTask(command, dueNanos, submissions++));
    }

    /** Takes a cancelled timer out; on a foreign thread it stays, and does nothing when its time comes. */
    void forget(VirtualTimer<?> timer) {
        if (isOwnedByThisThread()) {
            queue.removeIf(task -> task.command() == timer);
        }
    }

    private <V> VirtualTimer<V> start(Callable<V> task, long delay, long period, TimeUnit unit) {
        long delayNanos = Math.max(0, unit.toNanos(delay));
        long dueNanos = delayNanos > Long.MAX_VALUE - nowNanos ? Long.MAX_VALUE : nowNanos + delayNanos;
        VirtualTimer<V> timer = new VirtualTimer<>(this, task, dueNanos, unit.toNanos(period));
        enqueue(timer, dueNanos);
        return timer;
    }

    private void runTasksDueUntil(long target) {
        for (QueuedTask next = queue.peek(); next != null && next.dueNanos() <= target; next = queue.peek()) {
            runNext();
        }
    }

    private void runNext() {
        QueuedTask task = queue.remove();
        moveTo(task.dueNanos());
        if (++tasksInThisInstant > MOST_TASKS_PER_INSTANT) {
            throw new AssertionError(
                    "Tasks keep submitting tasks and time does not move; the last one is " + task.command());
        }
        task.command().run();
    }

    /** A task may have driven the scheduler past the time its own caller aims at; time never moves back. */
    private void moveTo(long nanos) {
        if (nanos > nowNanos) {
            nowNanos = nanos;
            tasksInThisInstant = 0;
        }
    }

    private void checkOwner() {
        if (!isOwnedByThisThread()) {
            throw new IllegalStateException(
                    "The virtual scheduler belongs to " + owner + " and cannot be driven by " + Thread.currentThread());
        }
    }

    private synchronized boolean isOwnedByThisThread() {
        if (owner == null) {
            owner = Thread.currentThread();
        }
        return owner == Thread.currentThread();
    }
}
