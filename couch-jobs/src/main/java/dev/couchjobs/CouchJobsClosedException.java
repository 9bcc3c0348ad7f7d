package dev.couchjobs;

/** The {@link CouchJobs} instance was closed while a call waited, or before it was made. */
public final class CouchJobsClosedException extends JobsException {
    private static final long serialVersionUID = 1L;

    /** Made by couch-jobs. */
    public CouchJobsClosedException() {
        super("This CouchJobs is closed. Jobs and their claims are in the database; open another instance to go on.");
    }
}
