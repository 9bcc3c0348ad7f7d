package dev.couchjobs;

import com.apple.foundationdb.tuple.Versionstamp;
import java.util.List;

/**
 * A page of {@link JobChanges}.
 *
 * @param changes the changes, in the order of their commits
 * @param next the sequence from which to go on
 * @param hasMore whether there may be further changes now
 * @param isTrimmed whether changes since the given sequence have been removed: then the page has none. List the jobs
 *     again, with reads {@linkplain CouchJobs#atLeastVersion no older} than {@code next}, and go on from there
 */
public record ChangePage(List<JobChange> changes, Versionstamp next, boolean hasMore, boolean isTrimmed) {
    /**
     * Copies the changes.
     *
     * @param changes see above
     * @param next see above
     * @param hasMore see above
     * @param isTrimmed see above
     */
    public ChangePage {
        changes = List.copyOf(changes);
    }
}
