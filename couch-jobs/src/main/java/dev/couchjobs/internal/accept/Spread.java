package dev.couchjobs.internal.accept;

/**
 * How far claims keep from each other, learnt from the conflicts they meet: nothing while nobody else is about, and the more
 * others there are, the wider.
 */
final class Spread {
    private static final int MAX = 10_000;
    private static final int GROWTH = 4;

    private int rows;

    /** Over how many rows to leap at most. */
    synchronized int rows() {
        return rows;
    }

    synchronized void conflicted(int wanted) {
        rows = Math.min(MAX, GROWTH * Math.max(wanted, rows));
    }

    /** Slowly, so that it is not given up again between two conflicts. */
    synchronized void undisturbed() {
        rows -= (rows + 31) / 32;
    }
}
