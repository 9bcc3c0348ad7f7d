package dev.couchjobs.fdb.simulation;

/**
 * A moment in the life of a transaction at which something can go wrong.
 *
 * @param kind what the transaction is about to do
 * @param writes whether it has written anything so far
 * @param transaction its number among those of its database; each try of a retried transaction has its own
 */
public record FaultPoint(Kind kind, boolean writes, long transaction) {

    /** What a transaction does. */
    public enum Kind {
        /** It reads, or asks for its read version. */
        READ,
        /** It commits. */
        COMMIT,
        /** It waits for a key to change. */
        WATCH
    }
}
