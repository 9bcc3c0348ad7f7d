package dev.couchjobs;

/**
 * A payload is not what was encrypted: its bytes were changed, or belong to a job of another type, or the instance has
 * another key under the id.
 */
public final class PayloadTamperedException extends PayloadException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by couch-jobs.
     *
     * @param payload which payload it is
     */
    public PayloadTamperedException(String payload) {
        super(payload + " is not what was encrypted: its bytes were changed, or come from another type, or this"
                + " instance has another key under the id. Compare the keys of all instances; if they are the same,"
                + " find out what has written to the database, and add the job again.");
    }
}
