package dev.couchjobs;

import com.apple.foundationdb.tuple.Versionstamp;

/**
 * What was to be read "no older than" some sequence would have been older: the transaction reads as of an earlier
 * moment. A transaction begun now sees it, unless the sequence is of another database.
 */
public final class SequenceNotVisibleException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param readVersion the version that would have been read
     * @param wanted the sequence that was to be seen
     */
    public SequenceNotVisibleException(long readVersion, Versionstamp wanted) {
        super("This reads version " + readVersion + ", which cannot see the sequence " + wanted + " yet. Read in a new"
                + " transaction; if that does not help, the sequence is not of this database.");
    }
}
