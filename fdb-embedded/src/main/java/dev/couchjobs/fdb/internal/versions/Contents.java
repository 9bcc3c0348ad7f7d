package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.base.BaseMutation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the database at one version. Immutable, so any number of threads may read it; each read begins and ends
 * on one thread. Returned arrays are shared and must not be written to.
 */
public interface Contents {
    byte @Nullable [] get(byte[] key);

    /** From the first key that is not less than {@code from}, upwards. Keys from {@code end} on may be left out. */
    Scan ascending(byte[] from, byte[] end);

    /** From the last key that is less than {@code before}, downwards. Keys less than {@code end} may be left out. */
    Scan descending(byte[] before, byte[] end);

    /** Returns the contents after the given mutations, which were committed at {@code version}. */
    Contents with(List<BaseMutation> mutations, long version);

    /** Estimates the bytes of keys and values from {@code begin} up to, but not including, {@code end}. */
    long bytes(byte[] begin, byte[] end);

    /**
     * Returns keys strictly between {@code begin} and {@code end} that cut the range into chunks of about that size.
     */
    List<byte[]> splitPoints(byte[] begin, byte[] end, long chunkBytes);
}
