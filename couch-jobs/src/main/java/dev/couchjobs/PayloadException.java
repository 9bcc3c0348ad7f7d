package dev.couchjobs;

/**
 * A job's data or result cannot be written as JSON, or what is stored cannot be read as what its type says. Nothing was
 * changed.
 */
public class PayloadException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param message what was wrong and what to do
     */
    public PayloadException(String message) {
        super(message);
    }

    /**
     * Made by couch-jobs.
     *
     * @param message what was wrong and what to do
     * @param cause the error of the JSON library
     */
    public PayloadException(String message, Throwable cause) {
        super(message, cause);
    }
}
