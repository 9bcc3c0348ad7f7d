package dev.couchjobs;

/** The job whose result was asked for had not begun by its deadline ({@link NewJob#startBefore}). */
public final class JobExpiredException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String typeName;
    private final String jobId;

    /**
     * Made by couch-jobs.
     *
     * @param typeName the name of the job's type
     * @param jobId the id of the job
     * @param reason why
     */
    public JobExpiredException(String typeName, String jobId, String reason) {
        super("Job " + jobId + " of type " + typeName + " has expired: " + reason);
        this.typeName = typeName;
        this.jobId = jobId;
    }

    /** {@return the name of the job's type} */
    public String typeName() {
        return typeName;
    }

    /** {@return the id of the job} */
    public String jobId() {
        return jobId;
    }
}
