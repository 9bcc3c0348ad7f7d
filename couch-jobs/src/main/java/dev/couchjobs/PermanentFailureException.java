package dev.couchjobs;

/**
 * For handlers to throw: the job has failed in a way that no further attempt would mend, so it is not tried again,
 * whatever its retry policy says.
 */
public class PermanentFailureException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * A failure with nothing beneath it.
     *
     * @param message what went wrong; kept with the job
     */
    public PermanentFailureException(String message) {
        super(message);
    }

    /**
     * A failure caused by an error.
     *
     * @param message what went wrong; kept with the job
     * @param cause the error beneath it; kept with the job, too
     */
    public PermanentFailureException(String message, Throwable cause) {
        super(message, cause);
    }
}
