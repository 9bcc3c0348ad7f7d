package dev.couchjobs;

/**
 * There is no job with a result: there was none, it was removed, or nothing of it was kept after its end.
 */
public final class JobNotFoundException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String typeName;
    private final String jobId;
    private final boolean ended;

    /**
     * Made by couch-jobs.
     *
     * @param typeName the name of the job's type
     * @param jobId the id of the job
     * @param ended whether the job was seen to end
     */
    public JobNotFoundException(String typeName, String jobId, boolean ended) {
        super(
                ended
                        ? "Job " + jobId + " of type " + typeName + " has ended, but nothing of it was kept. To ask for"
                                + " results, give the type a retention of more than zero."
                        : "There is no job " + jobId + " of type " + typeName + ".");
        this.typeName = typeName;
        this.jobId = jobId;
        this.ended = ended;
    }

    /** {@return the name of the job's type} */
    public String typeName() {
        return typeName;
    }

    /** {@return the id of the job} */
    public String jobId() {
        return jobId;
    }

    /** {@return whether the job was seen to end, in a way that is not known any more} */
    public boolean hasEnded() {
        return ended;
    }
}
