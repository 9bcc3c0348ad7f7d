package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.keys.CommitStamp;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.versions.WriteBuffer;
import dev.couchjobs.fdb.internal.watches.Watch;
import java.util.List;

/**
 * A transaction on its way through the pipeline.
 *
 * @param readVersion what it read at, or {@link #NO_READ_VERSION} if it never read
 * @param reads what must not have been written since
 * @param conflictingWrites what later commits must not have read before; the keys that the stamp decides come on top
 * @param watches to be armed if it commits
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

    /** Does nothing but pass through the pipeline. */
    static final Commit NOTHING =
            new Commit(NO_READ_VERSION, List.of(), List.of(), new WriteBuffer(), List.of(), 0, CommitCallback.UNHEARD);

    /** Told once, on the pipeline's thread, how the commit ended; returns quickly and runs no user's code. */
    public interface CommitCallback {
        CommitCallback UNHEARD = new CommitCallback() {
            @Override
            public void committed(CommitStamp stamp) {}

            @Override
            public void failed(RuntimeException error) {}
        };

        void committed(CommitStamp stamp);

        void failed(RuntimeException error);
    }
}
