package dev.couchjobs;

/** There is no batch with a name. */
public final class BatchNotFoundException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String batch;

    /**
     * Made by couch-jobs.
     *
     * @param batch the name
     */
    public BatchNotFoundException(String batch) {
        super("There is no batch " + batch + ": open it first. A batch is removed with its closing job.");
        this.batch = batch;
    }

    /** {@return the name} */
    public String batch() {
        return batch;
    }
}
