package dev.couchjobs;

/** The job whose result was asked for has failed for good. */
public final class JobFailedException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String typeName;
    private final String jobId;
    private final String error;

    /**
     * Made by couch-jobs.
     *
     * @param typeName the name of the job's type
     * @param jobId the id of the job
     * @param error what went wrong in its last attempt
     */
    public JobFailedException(String typeName, String jobId, String error) {
        super("Job " + jobId + " of type " + typeName + " has failed: " + error);
        this.typeName = typeName;
        this.jobId = jobId;
        this.error = error;
    }

    /** {@return the name of the job's type} */
    public String typeName() {
        return typeName;
    }

    /** {@return the id of the job} */
    public String jobId() {
        return jobId;
    }

    /** {@return what went wrong in its last attempt} */
    public String error() {
        return error;
    }
}
