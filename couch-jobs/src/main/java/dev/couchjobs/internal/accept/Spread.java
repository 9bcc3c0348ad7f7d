package dev.couchjobs.internal.accept;

/**
 * How far beyond the head of the queue a claim looks, learnt from the conflicts it meets. Alone, an acceptor takes the
 * head, first in, first out; the more others it meets, the wider the stretch in which it begins at random places.
 */
final class Spread {
    private static final int MAX = 4_000;

    private int rows;

    /** How many rows to read beyond those wanted. */
    synchronized int rows() {
        return rows;
    }

    synchronized void conflicted(int wanted) {
        rows = Math.min(MAX, Math.max(2 * wanted, 2 * rows));
    }

    /** Slowly, so that the stretch is not given up again between two conflicts. */
    synchronized void undisturbed() {
        rows -= (rows + 31) / 32;
    }
}
