package dev.couchjobs;

/**
 * This very claim has already finished the job. Either {@code finish} was called twice, or an earlier attempt of the
 * same transaction did commit although FoundationDB could not say so ({@code commit_unknown_result}): then the work is
 * done, once, and there is nothing left to do.
 *
 * <p>Where {@code finish} or {@code update} joined a transaction of the caller's, the other writes of that transaction
 * do not happen a second time. A retry that couch-jobs makes by itself, in a transaction of its own, does not end here.
 * Once another processor has claimed the job again, this cannot be distinguished from a lost claim, and the error is a
 * plain {@link JobHaltedException}.
 */
public final class JobAlreadyFinishedException extends JobHaltedException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param typeName the name of the job's type
     * @param jobId the id of the job
     */
    public JobAlreadyFinishedException(String typeName, String jobId) {
        super(
                typeName,
                jobId,
                "Job " + jobId + " of type " + typeName
                        + " has already been finished by this claim. If a transaction of yours was being retried, its"
                        + " earlier attempt did commit and the work is done; otherwise finish was called before.",
                false,
                false,
                AttemptEnd.SUCCEEDED);
    }
}
