package dev.couchjobs;

/**
 * A handler was to add a job, and more jobs one after the other, each added by the handler of the one before, would
 * have led to it than its type allows. Nothing was changed.
 *
 * @see JobType#maxDescent
 */
public final class TooManyGenerationsException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param job the job that was to be added, as its type and its id
     * @param descent how many jobs would have led to it
     * @param max how many may
     */
    public TooManyGenerationsException(String job, int descent, int max) {
        super("Job " + job + " would be number " + descent + " of a line of jobs in which each handler adds the next;"
                + " its type allows " + max + ". Let the handler end the line, or allow more with maxDescent.");
    }
}
