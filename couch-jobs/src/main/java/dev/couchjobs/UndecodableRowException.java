package dev.couchjobs;

/**
 * A stored row cannot be decoded: its bytes are damaged, or no version of the library that this one knows of wrote
 * them.
 *
 * <p>Background loops and claims that meet such a row move it into quarantine and go on; so do {@link CouchJobs#add}
 * and {@link CouchJobs#remove} of its job.
 */
public final class UndecodableRowException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * A row that cannot be decoded.
     *
     * @param row the key of the row, as text
     * @param reason what is wrong with it
     * @param cause what decoding it failed of
     */
    public UndecodableRowException(String row, String reason, Throwable cause) {
        super(
                "The row " + row + " cannot be decoded: " + reason + ". Claims and background loops move it into"
                        + " quarantine, and so do add and remove of its job. There CouchJobs.quarantine() lists it, and"
                        + " removes it, or restores it in a version of the library that can decode it.",
                cause);
    }

    /**
     * A row of the rules of a type that cannot be decoded.
     *
     * @param typeName the name of the type
     * @param cause what decoding it failed of
     * @return the error
     */
    public static UndecodableRowException ofRules(String typeName, Throwable cause) {
        return of(
                "The rules of the type " + typeName + " cannot be decoded, so nothing claims its jobs. Call"
                        + " types().resume, which removes them, and set the limits and the rate of the type again.",
                cause);
    }

    /**
     * A row that no quarantine takes.
     *
     * @param message which row it is, and how it is repaired
     * @param cause what decoding it failed of
     * @return the error
     */
    public static UndecodableRowException of(String message, Throwable cause) {
        return new UndecodableRowException(message, cause);
    }

    private UndecodableRowException(String message, Throwable cause) {
        super(message, cause);
    }
}
