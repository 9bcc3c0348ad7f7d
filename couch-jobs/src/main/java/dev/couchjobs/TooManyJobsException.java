package dev.couchjobs;

/** More jobs than one transaction has room for were to be added or changed in it. Nothing was changed. */
public final class TooManyJobsException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final int jobsMax;

    /**
     * Made by couch-jobs.
     *
     * @param jobsMax the largest number of jobs in one transaction
     */
    public TooManyJobsException(int jobsMax) {
        super("One transaction can add or change at most " + jobsMax + " jobs. Spread them over several transactions.");
        this.jobsMax = jobsMax;
    }

    /**
     * Made by couch-jobs.
     *
     * @param jobs how many jobs were to be added together
     * @param jobsMax about how many of them there is room for
     */
    public TooManyJobsException(int jobs, int jobsMax) {
        super("A batch of " + jobs + " jobs does not fit into one transaction, which has room for about " + jobsMax
                + " of them. Add them in batches that are no larger, in a transaction each.");
        this.jobsMax = jobsMax;
    }

    /** {@return about how many jobs there would have been room for} */
    public int jobsMax() {
        return jobsMax;
    }
}
