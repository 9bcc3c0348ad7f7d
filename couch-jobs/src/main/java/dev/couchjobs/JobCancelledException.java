package dev.couchjobs;

/** The job whose result was asked for was given up on purpose. */
public final class JobCancelledException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String typeName;
    private final String jobId;
    private final String reason;

    /**
     * Made by couch-jobs.
     *
     * @param typeName the name of the job's type
     * @param jobId the id of the job
     * @param reason why
     */
    public JobCancelledException(String typeName, String jobId, String reason) {
        super("Job " + jobId + " of type " + typeName + " was cancelled: " + reason);
        this.typeName = typeName;
        this.jobId = jobId;
        this.reason = reason;
    }

    /** {@return the name of the job's type} */
    public String typeName() {
        return typeName;
    }

    /** {@return the id of the job} */
    public String jobId() {
        return jobId;
    }

    /** {@return why it was given up} */
    public String reason() {
        return reason;
    }
}
