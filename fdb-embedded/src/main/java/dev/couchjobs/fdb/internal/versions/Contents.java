package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.base.BaseMutation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All committed data as of one version. It never changes, so any number of threads may read it; each read begins and
 * ends on one thread. Arrays that come out of it are shared and never written to.
 */
public interface Contents {
    byte @Nullable [] get(byte[] key);

    /** From the first key that is not less than {@code from}, upwards. */
    Scan ascending(byte[] from);

    /** From the last key that is less than {@code before}, downwards. */
    Scan descending(byte[] before);

    /** With changes that were made at {@code version}. */
    Contents with(List<BaseMutation> mutations, long version);

    /** About how many bytes of keys and values there are from {@code begin} up to, but not including, {@code end}. */
    long bytes(byte[] begin, byte[] end);

    /** Keys strictly between {@code begin} and {@code end} that cut the range into chunks of about that size. */
    List<byte[]> splitPoints(byte[] begin, byte[] end, long chunkBytes);
}
