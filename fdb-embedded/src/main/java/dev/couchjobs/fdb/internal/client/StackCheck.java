package dev.couchjobs.fdb.internal.client;

/**
 * Whether the calling thread has stack left for a commit. A caller's thread decides, persists and publishes for others
 * as well, and would leave these half done if it ran out of stack. So it runs out here, before anything has changed.
 */
final class StackCheck {
    /** Several kilobytes, which is what the calls of a commit take; each level costs a commit some nanoseconds. */
    private static final int LEVELS = 96;

    private StackCheck() {}

    /**
     * {@return a number without meaning} Throws {@link StackOverflowError} on a thread that has not much stack left.
     */
    static long require() {
        return descend(LEVELS, 1, 2, 3, 4);
    }

    /** The arguments live across the call, so that each level takes a frame that keeps them. */
    private static long descend(int levels, long a, long b, long c, long d) {
        return levels == 0 ? a : descend(levels - 1, b, c, d, a) + a + b * c + d;
    }
}
