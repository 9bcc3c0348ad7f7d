package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.keys.CommitStamp;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.versions.WriteBuffer;
import dev.couchjobs.fdb.internal.watches.Watch;
import java.util.List;

/**
 * A transaction in the commit pipeline.
 *
 * @param readVersion the read version, or {@link #NO_READ_VERSION} if the transaction did not read
 * @param reads the read conflict ranges
 * @param conflictingWrites the write conflict ranges, without the keys that the versionstamp determines
 * @param watches the watches to arm if the transaction commits
 * @param bytes its size as FoundationDB counts it
 */
public record Commit(
        long readVersion,
        List<KeyRange> reads,
        List<KeyRange> conflictingWrites,
        WriteBuffer writes,
        List<Watch> watches,
        long bytes,
        CommitCallback commitCallback) {
    public static final long NO_READ_VERSION = 0;

    /** A commit without reads and writes. */
    static final Commit NOTHING =
            new Commit(NO_READ_VERSION, List.of(), List.of(), new WriteBuffer(), List.of(), 0, CommitCallback.NO_OP);

    /** Receives the result of the commit once, on the pipeline's thread. Returns quickly and runs no user code. */
    public interface CommitCallback {
        CommitCallback NO_OP = new CommitCallback() {
            @Override
            public void committed(CommitStamp stamp) {}

            @Override
            public void failed(RuntimeException error) {}
        };

        void committed(CommitStamp stamp);

        void failed(RuntimeException error);
    }
}
