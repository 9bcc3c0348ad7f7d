package dev.couchjobs;

/**
 * The progress of a {@link JobsMove}.
 *
 * @param phase the phase of the move
 * @param rows the number of rows that this pass has read
 * @param changed the number of rows that it has written or cleared in the target
 */
public record MoveProgress(Phase phase, long rows, long changed) {
    /** A phase of a move. */
    public enum Phase {
        /** Rows are copied while the source is in service. */
        COPYING,
        /** The source is out of service, and the last changes are copied. */
        CATCHING_UP,
        /** All rows of the target are read and compared. */
        CHECKING
    }
}
