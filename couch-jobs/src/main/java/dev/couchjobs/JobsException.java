package dev.couchjobs;

/**
 * The root of the errors of couch-jobs: one subclass per cause. Errors of FoundationDB itself are passed on as they
 * are.
 */
public abstract class JobsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An error with nothing beneath it.
     *
     * @param message what was wrong and what to do
     */
    protected JobsException(String message) {
        super(message);
    }

    /**
     * An error caused by another.
     *
     * @param message what was wrong and what to do
     * @param cause the error beneath it
     */
    protected JobsException(String message, Throwable cause) {
        super(message, cause);
    }
}
