package dev.couchjobs;

/**
 * A verb that writes was given the database, while a {@linkplain ThreadTransaction transaction is bound to the thread}
 * of its caller. Nothing was written, and the transaction stays open.
 */
public final class TransactionBypassedException extends JobsException {
    private static final long serialVersionUID = 1L;

    /** Made by couch-jobs. */
    public TransactionBypassedException() {
        super("A transaction is open on this thread, and this verb was given the Database: it would commit by itself,"
                + " even if the transaction is rolled back. Pass the open transaction, which Spring's"
                + " CurrentTransaction.context() returns. To commit by itself, call the verb in a method with a"
                + " transaction of its own (REQUIRES_NEW) or without one (NOT_SUPPORTED), or on another thread.");
    }
}
