package dev.couchjobs;

/**
 * The jobs in this place are not in service: they were moved to another database, or are still being copied here. The
 * message says which, and where to go. Nothing was written.
 */
public final class OutOfServiceException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param reason why, and what to do
     */
    public OutOfServiceException(String reason) {
        super(reason);
    }
}
