package dev.couchjobs;

/** Where a {@linkplain Batches batch} stands. */
public enum BatchState {
    /** It takes members, and does not close before it is sealed. */
    OPEN,
    /** It closes when all its members have ended. Until then they may still add members. */
    SEALED,
    /** Its members have ended, or the first has failed if it closes then; its closing job may run. */
    CLOSED,
    /** It was cancelled. */
    CANCELLED
}
