package dev.couchjobs.fdb.embedded;

import dev.couchjobs.fdb.internal.base.Change;
import dev.couchjobs.fdb.internal.log.Replay;
import java.nio.ByteBuffer;

/** Makes an overlay of what the log has and the base has not. */
final class Recovery implements Replay {
    private final long baseVersion;
    private final Drain drain;
    private final Object editor = new Object(); // nobody has the overlay before all is replayed
    private Overlay overlay;
    private long ceiling;

    /** What is replayed waits in {@code drain} again. */
    Recovery(long baseVersion, Drain drain) {
        this.baseVersion = baseVersion;
        this.drain = drain;
        this.overlay = Overlay.over(baseVersion);
        this.ceiling = baseVersion;
    }

    @Override
    public void record(long version, ByteBuffer payload) {
        int bytes = payload.remaining();
        BatchRecord batch = BatchRecord.decode(payload);
        ceiling = batch.ceiling();
        if (version > baseVersion) {
            for (Change change : batch.changes()) {
                overlay = overlay.with(change, version, editor);
            }
            drain.add(new Drain.Logged(version, batch.changes(), bytes));
        }
    }

    Overlay overlay() {
        return overlay;
    }

    /** No version greater than this has ever been handed out. */
    long ceiling() {
        return ceiling;
    }
}
