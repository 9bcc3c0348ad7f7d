package dev.couchjobs.fdb.internal.versions;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds the contents after a batch of commits. Used by one thread. */
public interface Edit {
    byte @Nullable [] get(byte[] key);

    void set(byte[] key, byte[] value);

    /** Sets keys, which ascend. */
    void setAll(List<byte[]> keys, List<byte[]> values);

    void clear(byte[] begin, byte[] end);

    void clear(byte[] key);

    /**
     * Applies all writes of a transaction, or none of them.
     *
     * @param bytes the size of the transaction
     * @return the error with which it applied none; null if it applied them
     */
    default @Nullable FDBException apply(WriteBuffer writes, long bytes, CommitStamp stamp) {
        writes.applyTo(this, stamp);
        return null;
    }

    /** The mutations, in the order in which they were made. */
    List<BaseMutation> mutations();

    /** The contents so far; later edits do not change them. */
    Contents contents();
}
