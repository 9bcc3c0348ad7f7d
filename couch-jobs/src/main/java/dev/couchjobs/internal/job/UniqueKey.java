package dev.couchjobs.internal.job;

/**
 * The unique key of a job.
 *
 * @param text the key that its creator gave it, or a digest of its data
 * @param isDigest whether it is a digest
 * @param since when the job was added, in milliseconds since the epoch
 */
public record UniqueKey(String text, boolean isDigest, long since) {
    /** {@return whether a key is the same, whenever its job was added} */
    public boolean isSameAs(UniqueKey other) {
        return text.equals(other.text) && isDigest == other.isDigest;
    }
}
