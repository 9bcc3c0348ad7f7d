package dev.couchjobs.fdb.embedded;

import dev.couchjobs.fdb.internal.base.Base;
import dev.couchjobs.fdb.internal.base.Change;
import dev.couchjobs.fdb.internal.log.Replay;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes an overlay of what the log has and the base has not. If that is too much for the heap, it goes into the base
 * instead, in a second replay: there is no reader yet who could want to do without it, and by then it is known to be
 * durable.
 */
final class Recovery implements Replay {
    private final Base base;
    private final long baseVersion;
    private final Drain drain;
    private final long mostBytes;
    private final List<Drain.Logged> replayed = new ArrayList<>();
    private long heapBytes;
    private long ceiling;

    /** What is replayed waits in {@code drain} again, unless it is more than {@code mostBytes}. */
    Recovery(Base base, Drain drain, long mostBytes) {
        this.base = base;
        this.baseVersion = base.version();
        this.drain = drain;
        this.mostBytes = mostBytes;
        this.ceiling = baseVersion;
    }

    @Override
    public void record(long version, ByteBuffer payload) {
        int length = payload.remaining();
        BatchRecord batch = BatchRecord.decode(payload);
        ceiling = batch.ceiling();
        if (version > baseVersion) {
            Drain.Logged logged = new Drain.Logged(version, batch.changes(), length);
            heapBytes += logged.heapBytes();
            if (isTooMuch()) {
                replayed.clear();
            } else {
                replayed.add(logged);
            }
        }
    }

    private boolean isTooMuch() {
        return heapBytes > mostBytes;
    }

    /** The records are seen again if there are too many to keep, one step of the base after the other. */
    @Override
    public @Nullable Replay again() {
        return isTooMuch() ? this::drain : null;
    }

    private void drain(long version, ByteBuffer payload) {
        if (version <= baseVersion) {
            return;
        }
        Drain.Logged logged =
                new Drain.Logged(version, BatchRecord.decode(payload).changes(), payload.limit());
        drain.add(logged);
        drain.moveSteps();
    }

    /** Call once, when all is replayed. */
    Overlay overlay() {
        if (isTooMuch()) {
            drain.finish();
            return Overlay.over(base.version());
        }
        Object editor = new Object(); // the overlay has no reader before all is replayed
        Overlay overlay = Overlay.over(baseVersion);
        for (Drain.Logged logged : replayed) {
            for (Change change : logged.changes()) {
                overlay = overlay.with(change, logged.version(), editor);
            }
            drain.add(logged);
        }
        return overlay;
    }

    /** No version greater than this has ever been handed out. */
    long ceiling() {
        return ceiling;
    }
}
