package dev.couchjobs;

import dev.couchjobs.loop.DurationText;
import java.time.Duration;

/** The job has not ended in the time that its result was waited for. It goes on; the result can be asked for again. */
public final class ResultTimeoutException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String typeName;
    private final String jobId;

    /**
     * Made by couch-jobs.
     *
     * @param typeName the name of the job's type
     * @param jobId the id of the job
     * @param timeout how long it was waited for
     */
    public ResultTimeoutException(String typeName, String jobId, Duration timeout) {
        super("Job " + jobId + " of type " + typeName + " has not ended within " + DurationText.of(timeout)
                + ". It goes on; ask again, or look at it with getJob.");
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
