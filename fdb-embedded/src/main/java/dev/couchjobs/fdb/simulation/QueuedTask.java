package dev.couchjobs.fdb.simulation;

import java.util.Comparator;

/** A command, whose it is, and its place in the queue: by due time, then by submission. */
record QueuedTask(VirtualExecutor owner, Runnable command, long dueNanos, long number)
        implements Comparable<QueuedTask> {

    private static final Comparator<QueuedTask> ORDER =
            Comparator.comparingLong(QueuedTask::dueNanos).thenComparingLong(QueuedTask::number);

    @Override
    public int compareTo(QueuedTask other) {
        return ORDER.compare(this, other);
    }
}
