package dev.couchjobs;

/**
 * How far a {@link JobsMove} is.
 *
 * @param phase what is being done
 * @param rows how many rows this pass has seen
 * @param changed how many of them it had to write, or to clear, in the target
 */
public record MoveProgress(Phase phase, long rows, long changed) {
    /** What is being done. */
    public enum Phase {
        /** Rows are copied while the source is in service. */
        COPYING,
        /** The source is out of service, and what has changed since is copied. */
        CATCHING_UP,
        /** All that is in the target is read again and compared. */
        CHECKING
    }
}
