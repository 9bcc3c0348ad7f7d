package dev.couchjobs;

/** Changes were to be read in a transaction that has itself changed jobs. */
public final class UncommittedChangesException extends JobsException {
    private static final long serialVersionUID = 1L;

    /** Made by couch-jobs. */
    public UncommittedChangesException() {
        super("This transaction has changed jobs, and these changes have no sequence before its commit. Read changes in"
                + " another transaction, or before the first change.");
    }
}
