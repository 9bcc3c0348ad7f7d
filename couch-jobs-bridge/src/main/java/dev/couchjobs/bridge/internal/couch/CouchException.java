package dev.couchjobs.bridge.internal.couch;

/** A permanent refusal of CouchDB. The message contains what a person can do. */
public sealed class CouchException extends RuntimeException permits UnreadableException {
    private final int status;

    /**
     * Creates an exception.
     *
     * @param status the HTTP status of the answer; 0 if there was none
     * @param message what was refused, and what a person can do
     */
    public CouchException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** {@return the HTTP status of CouchDB's answer; 0 if there was none} */
    public int status() {
        return status;
    }
}
