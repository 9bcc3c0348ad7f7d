package dev.couchjobs;

/** One transaction touched more jobs than its versionstamps can tell apart. Nothing was changed. */
public final class TooManyJobsException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param jobsMax the largest number of jobs in one transaction
     */
    public TooManyJobsException(int jobsMax) {
        super("One transaction can add or change at most " + jobsMax + " jobs. Spread them over several transactions.");
    }
}
