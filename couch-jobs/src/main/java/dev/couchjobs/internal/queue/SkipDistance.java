package dev.couchjobs.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * The number of rows that a claim skips. It adapts to conflicts: zero without competition, larger with more competing
 * processes.
 */
public final class SkipDistance {
    private static final int MAX = 4_000;
    /** Bounds the rows that a claim of few jobs reads. */
    private static final int MAX_PER_JOB = 400;

    private static final int GROWTH = 4;

    @GuardedBy("this") private int rows;

    /** The largest number of rows to skip. */
    public synchronized int rows() {
        return rows;
    }

    /**
     * Grows the distance after a conflict.
     *
     * @param jobs how many jobs the try would have claimed
     */
    public synchronized void grow(int jobs) {
        rows = Math.min(Math.min(MAX, MAX_PER_JOB * jobs), GROWTH * Math.max(jobs, rows));
    }

    /** Shrinks the distance when a claim begins. It shrinks slowly, so that it lasts from one conflict to the next. */
    public synchronized void shrink() {
        rows -= (rows + 31) / 32;
    }

    /**
     * Limits the distance to the length of the queue.
     *
     * @param rowCount the number of rows in the queue
     */
    synchronized void limit(int rowCount) {
        rows = Math.min(rows, rowCount);
    }
}
