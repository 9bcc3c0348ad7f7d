package dev.couchjobs;

import java.time.Duration;

/**
 * A transaction of a handler took too long to commit, in every try. FoundationDB commits no transaction that began more
 * than five seconds ago. Nothing was written.
 */
public final class TransactionTooLongException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final int tries;
    private final Duration lastTry;

    /**
     * Made by couch-jobs.
     *
     * @param job the type and the id of the job
     * @param tries how many tries took too long
     * @param lastTry how long the body took in the last of them
     */
    public TransactionTooLongException(String job, int tries, Duration lastTry) {
        super("A transaction of job " + job + " took too long in each of " + tries + " tries, the last one "
                + lastTry.toMillis()
                + " ms, and nothing of it was written: FoundationDB commits no transaction that began"
                + " more than 5 s ago. Do slow work, such as calls to other services, before the transaction, or spread"
                + " the writes over several transactions.");
        this.tries = tries;
        this.lastTry = lastTry;
    }

    /** {@return how many tries took too long} */
    public int tries() {
        return tries;
    }

    /** {@return how long the body took in the last of them} */
    public Duration lastTry() {
        return lastTry;
    }
}
