package dev.couchjobs;

/** A batch is in a state that does not allow what was asked for. */
public final class BatchStateException extends JobsException {
    private static final long serialVersionUID = 1L;

    private final String batch;
    private final BatchState state;

    /**
     * Made by couch-jobs.
     *
     * @param batch the name
     * @param state the state
     * @param advice what does not work, and what to do
     */
    public BatchStateException(String batch, BatchState state, String advice) {
        super("The batch " + batch + " is " + state + ": " + advice);
        this.batch = batch;
        this.state = state;
    }

    /** {@return the name} */
    public String batch() {
        return batch;
    }

    /** {@return the state} */
    public BatchState state() {
        return state;
    }
}
