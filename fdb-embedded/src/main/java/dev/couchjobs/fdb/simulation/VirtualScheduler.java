package dev.couchjobs.fdb.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An executor, a timer and two clocks on one thread and in virtual time.
 *
 * <p>Nothing runs by itself. Tasks wait until a caller calls {@link #runUntilIdle}, {@link #advance} or {@link #await};
 * they then run on the calling thread, in the order in which they are due, ties in the order in which they were
 * submitted. The same program therefore runs the same tasks in the same order every time.
 *
 * <p>The first thread that submits or drives owns the scheduler. A submission from any other thread is rejected, and
 * driving it from there fails: either would mean that the code under test has a thread of its own. Tasks may submit
 * further tasks and may drive the scheduler themselves. What a plain {@link #execute executed} task throws comes out of
 * the call that drove it.
 */
public final class VirtualScheduler extends VirtualExecutor implements InstantSource {

    private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
    private static final long LONGEST_AWAIT_NANOS = Duration.ofDays(1).toNanos();
    /** A timer that is set then may still count its nanoseconds. */
    private static final long LAST_NANOS = Long.MAX_VALUE - Duration.ofDays(730).toNanos();

    private static final int MAX_TASKS_PER_INSTANT = 1_000_000;

    private final TreeSet<QueuedTask> queue = new TreeSet<>();
    private @Nullable Thread owner;
    private Instant wallClockAtZero = EPOCH;
    private long nowNanos;
    private long submissions;
    private int tasksInThisInstant;

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
        long target = later(duration);
        runTasksDueUntil(target);
        moveTo(target);
    }

    /**
     * Moves time forward at once, as for a process that was suspended: the tasks that are due by then run when the
     * scheduler is driven next, in their order, and all at the new time.
     *
     * @param duration how far
     */
    public void jump(Duration duration) {
        checkOwner();
        moveTo(later(duration));
    }

    private long later(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("Time cannot be moved back by " + duration);
        }
        if (duration.compareTo(Duration.ofNanos(LAST_NANOS - nowNanos)) > 0) {
            throw new IllegalArgumentException(
                    "Virtual time lasts for " + Duration.ofNanos(LAST_NANOS).toDays()
                            + " days, of which " + Duration.ofNanos(nowNanos).toDays() + " have passed: " + duration
                            + " are too many.");
        }
        return nowNanos + duration.toNanos();
    }

    /**
     * Runs tasks until the future is done, jumping to the next timer whenever nothing is due.
     *
     * @param future what to wait for
     * @param <T> the type of its value
     * @return the future's value
     * @throws AssertionError if the future is still open when no task is left, or after a day of virtual time
     * @throws java.util.concurrent.CompletionException if the future fails, as {@link CompletableFuture#join} does
     */
    public <T> T await(CompletableFuture<T> future) {
        checkOwner();
        long deadline = nowNanos + LONGEST_AWAIT_NANOS;
        while (!future.isDone()) {
            if (queue.isEmpty()) {
                throw new AssertionError("Nothing is left to run, and the awaited future is not done: " + future);
            }
            if (queue.first().dueNanos() > deadline) {
                throw new AssertionError("A day of virtual time was not enough for the awaited future: " + future);
            }
            runNext();
        }
        return future.join();
    }

    /**
     * Returns the time for measurements.
     *
     * @return virtual nanoseconds since creation; unlike the wall clock it never jumps
     */
    public long nanoTime() {
        return nowNanos;
    }

    /** The virtual wall clock: it moves along with {@link #nanoTime}, and jumps with {@link #setInstant}. */
    @Override
    public Instant instant() {
        return wallClockAtZero.plusNanos(nowNanos);
    }

    /**
     * Sets the wall clock, forward or back. No timer notices.
     *
     * @param instant what it shows now
     */
    public void setInstant(Instant instant) {
        wallClockAtZero = instant.minusNanos(nowNanos);
    }

    @Override
    VirtualScheduler time() {
        return this;
    }

    @Override
    long opensAtNanos() {
        return nowNanos;
    }

    QueuedTask enqueue(VirtualExecutor executor, Runnable command, long dueNanos) {
        if (!isOwnedByThisThread()) {
            throw new RejectedExecutionException(
                    "The virtual scheduler belongs to " + owner + ", not to " + Thread.currentThread());
        }
        QueuedTask task = new QueuedTask(executor, command, dueNanos, submissions++);
        queue.add(task);
        return task;
    }

    void forget(QueuedTask task) {
        if (isOwnedByThisThread()) {
            queue.remove(task);
        }
    }

    /** What has yet to run for one of those who share the queue, in order. */
    List<QueuedTask> waiting(VirtualExecutor executor) {
        return queue.stream().filter(task -> task.owner() == executor).toList();
    }

    void advanceUntil(BooleanSupplier reached, long atMostNanos) {
        checkOwner();
        long deadline = nowNanos + atMostNanos;
        while (!reached.getAsBoolean() && !queue.isEmpty() && queue.first().dueNanos() <= deadline) {
            runNext();
        }
        if (!reached.getAsBoolean()) {
            moveTo(deadline);
        }
    }

    private void runTasksDueUntil(long target) {
        while (!queue.isEmpty() && queue.first().dueNanos() <= target) {
            runNext();
        }
    }

    private void runNext() {
        QueuedTask task = queue.first();
        queue.remove(task);
        moveTo(task.dueNanos());
        if (++tasksInThisInstant > MAX_TASKS_PER_INSTANT) {
            throw new AssertionError(
                    "Tasks keep submitting tasks and time does not move; the last one is " + task.command());
        }
        long opensAt = task.owner().opensAtNanos();
        if (opensAt <= nowNanos) {
            task.command().run();
        } else if (opensAt != NEVER) {
            putOff(task, opensAt);
        }
    }

    private void putOff(QueuedTask task, long until) {
        QueuedTask later = enqueue(task.owner(), task.command(), until);
        if (task.command() instanceof VirtualTimer<?> timer) {
            timer.queuedAs(later);
        }
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
