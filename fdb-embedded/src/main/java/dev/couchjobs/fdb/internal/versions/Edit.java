package dev.couchjobs.fdb.internal.versions;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The contents that a batch of commits leaves behind, in the making. Belongs to one thread. */
public interface Edit {
    byte @Nullable [] get(byte[] key);

    void set(byte[] key, byte[] value);

    void clear(byte[] begin, byte[] end);

    void clear(byte[] key);

    /**
     * Applies the writes of a transaction, or none of them.
     *
     * @param bytes the size of the transaction
     * @return why it applied none; null if it applied them
     */
    default @Nullable FDBException apply(WriteBuffer writes, long bytes, CommitStamp stamp) {
        writes.applyTo(this, stamp);
        return null;
    }

    /** In the order in which they were made. */
    List<BaseMutation> mutations();

    /** As edited so far; further edits do not change it. */
    Contents contents();
}
