package dev.couchjobs.fdb.testing;

import java.util.Comparator;

/** A command and its place in the queue: by due time, then by submission. */
record QueuedTask(Runnable command, long dueNanos, long number) implements Comparable<QueuedTask> {

    private static final Comparator<QueuedTask> ORDER =
            Comparator.comparingLong(QueuedTask::dueNanos).thenComparingLong(QueuedTask::number);

    @Override
    public int compareTo(QueuedTask other) {
        return ORDER.compare(this, other);
    }
}
