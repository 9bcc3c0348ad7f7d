package dev.couchjobs;

/** A job's data or result is too large to be stored in one transaction. Nothing was changed. */
public final class PayloadTooLargeException extends PayloadException {
    private static final long serialVersionUID = 1L;

    private final int bytes;
    private final int bytesMax;

    /**
     * Made by couch-jobs.
     *
     * @param what what of the job is too large
     * @param typeName the name of the job's type
     * @param jobId the id of the job
     * @param bytes the size of it as JSON
     * @param bytesMax the largest size allowed
     */
    public PayloadTooLargeException(String what, String typeName, String jobId, int bytes, int bytesMax) {
        super("The " + what + " of job " + jobId + " of type " + typeName + " has " + bytes
                + " bytes as JSON, and at most " + bytesMax
                + " fit into one transaction. Store the bulk elsewhere and put its key into the job.");
        this.bytes = bytes;
        this.bytesMax = bytesMax;
    }

    /** {@return the size of it as JSON, in bytes} */
    public int bytes() {
        return bytes;
    }

    /** {@return the largest size allowed, in bytes} */
    public int bytesMax() {
        return bytesMax;
    }
}
