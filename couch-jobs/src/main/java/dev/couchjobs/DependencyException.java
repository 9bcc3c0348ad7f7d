package dev.couchjobs;

/**
 * A job cannot wait for what it was to wait for. Nothing was changed; a transaction of the caller's is cancelled, so
 * that no half of a graph of jobs can commit.
 */
public class DependencyException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param message what was wrong and what to do
     */
    public DependencyException(String message) {
        super(message);
    }
}
