package dev.couchjobs;

/** A move of jobs to another database cannot continue. The message says why, and what to do. */
public final class JobsMoveException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param message what was wrong and what to do
     */
    public JobsMoveException(String message) {
        super(message);
    }
}
