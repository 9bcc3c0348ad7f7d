package dev.couchjobs.fdb.embedded;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The contents that a batch of commits leaves behind, in the making. Belongs to one thread. */
interface Edit {
    byte @Nullable [] get(byte[] key);

    void set(byte[] key, byte[] value);

    void clear(byte[] begin, byte[] end);

    void clear(byte[] key);

    /** Does what a transaction writes, or nothing of it and says why. */
    default @Nullable FDBException apply(Commit commit, CommitStamp stamp) {
        commit.writes().applyTo(this, stamp);
        return null;
    }

    /** In the order in which they were made. */
    List<BaseMutation> mutations();

    /** As edited so far; further edits do not change it. */
    Contents contents();
}
