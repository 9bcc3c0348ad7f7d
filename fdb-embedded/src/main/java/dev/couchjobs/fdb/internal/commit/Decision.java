package dev.couchjobs.fdb.internal.commit;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import dev.couchjobs.fdb.internal.storage.Storage;
import dev.couchjobs.fdb.internal.versions.Edit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether a commit succeeds: {@code refusal} is the error if it does not, or null if it does. */
record Decision(Commit commit, CommitStamp stamp, @Nullable FDBException refusal) {
    boolean commits() {
        return refusal == null;
    }

    /** Commits that share a version, with the contents after them. */
    record Batch(long version, Edit edit, List<Decision> decisions) {
        /** An upper bound: refused commits count as well. */
        long bytes() {
            long bytes = 0;
            for (Decision decision : decisions) {
                bytes += decision.commit.bytes();
            }
            return bytes;
        }

        Storage.Batch toPersist() {
            return new Storage.Batch(version, edit);
        }
    }
}
