package dev.couchjobs;

import java.util.Optional;

/**
 * How far a verb of a {@link JobSelection} has come.
 *
 * @param read how many jobs it has read
 * @param applied how many of them met the condition and were in a state in which the verb applies
 * @param lastId the id of the last job that is done, from which {@link JobSelection#resume} goes on; empty if all are
 */
public record SelectionProgress(long read, long applied, Optional<String> lastId) {
    /** The progress of a verb that has not begun. */
    public static final SelectionProgress NONE = new SelectionProgress(0, 0, Optional.empty());
}
