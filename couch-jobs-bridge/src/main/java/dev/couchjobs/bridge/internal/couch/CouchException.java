package dev.couchjobs.bridge.internal.couch;

/** CouchDB refuses something in a way that no waiting will change. The message says what to do about it. */
public sealed class CouchException extends RuntimeException permits UnreadableException {
    private final int status;

    /**
     * Says why.
     *
     * @param status the HTTP status of the answer, 0 if there was none
     * @param message what was refused, and what to do
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
