package dev.couchjobs;

/**
 * A job was to be a member of a batch although it closes one, or to close a batch although it is a member of one or
 * closes another; or a member was to wait for the job that waits for it. The verb has changed nothing: if it has
 * written anything before it finds this, it cancels the caller's transaction.
 */
public final class BatchRoleException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param message what was wrong and what to do
     */
    public BatchRoleException(String message) {
        super(message);
    }
}
