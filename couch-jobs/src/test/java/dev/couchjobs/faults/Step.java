package dev.couchjobs.faults;

/**
 * A moment in the life of a transaction at which something can go wrong.
 *
 * @param kind what the transaction is about to do
 * @param writes whether it has written anything so far
 */
public record Step(Kind kind, boolean writes) {

    /** What a transaction does. */
    public enum Kind {
        READ,
        COMMIT,
        WATCH
    }
}
