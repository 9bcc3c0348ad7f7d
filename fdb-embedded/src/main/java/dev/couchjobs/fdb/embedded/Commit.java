package dev.couchjobs.fdb.embedded;

import java.util.List;

/**
 * A transaction on its way through the pipeline.
 *
 * @param readVersion what it read at, or {@link #NO_READ_VERSION} if it never read
 * @param reads what must not have been written since
 * @param conflictingWrites what later commits must not have read before; the keys that the stamp decides come on top
 * @param watches to be armed if it commits
 */
record Commit(
        long readVersion,
        List<KeyRange> reads,
        List<KeyRange> conflictingWrites,
        WriteBuffer writes,
        List<Watch> watches,
        Outcome outcome) {
    static final long NO_READ_VERSION = 0;

    /** Told once, on the pipeline's thread, how the commit ended; returns quickly and runs no user's code. */
    interface Outcome {
        void committed(CommitStamp stamp);

        void failed(RuntimeException error);
    }
}
