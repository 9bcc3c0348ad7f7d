package dev.couchjobs.internal.accept;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * The number of rows that a claim skips. It adapts to conflicts: zero without competition, larger with more competing
 * processes.
 */
final class SkipDistance {
    private static final int MAX = 4_000;
    /** Of one claim: a client that takes little at a time is not to read much for it. */
    private static final int MAX_PER_JOB = 400;

    private static final int GROWTH = 4;

    @GuardedBy("this") private int rows;

    /** Over how many rows to leap at most. */
    synchronized int rows() {
        return rows;
    }

    synchronized void conflicted(int tried) {
        rows = Math.min(Math.min(MAX, MAX_PER_JOB * tried), GROWTH * Math.max(tried, rows));
    }

    /** Slowly, so that it is not given up again between two conflicts. */
    synchronized void undisturbed() {
        rows -= (rows + 31) / 32;
    }

    /** There is nowhere to leap beyond that. */
    synchronized void limit(int most) {
        rows = Math.min(rows, most);
    }
}
