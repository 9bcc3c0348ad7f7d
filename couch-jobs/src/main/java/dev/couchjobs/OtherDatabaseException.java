package dev.couchjobs;

/**
 * A verb was given another database than that of its {@link CouchJobs}, or a transaction of another. Nothing was
 * written, and the transaction, if the verb was to write in it, is cancelled.
 */
public final class OtherDatabaseException extends JobsException {
    private static final long serialVersionUID = 1L;

    /** Made by couch-jobs. */
    public OtherDatabaseException() {
        super("This CouchJobs has its jobs in another database, so no worker of it would see what a verb did here. Pass"
                + " the Database that it was made with, or a transaction begun on that; or make a CouchJobs on the"
                + " Database that you pass.");
    }
}
