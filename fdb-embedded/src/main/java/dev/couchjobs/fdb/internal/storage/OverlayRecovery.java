package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.base.Base;
import dev.couchjobs.fdb.internal.base.BaseMutation;
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
final class OverlayRecovery implements Replay {
    private final Base base;
    private final long baseVersion;
    private final OverlayFlusher flusher;
    private final long mostBytes;
    private final List<OverlayFlusher.Logged> replayed = new ArrayList<>();
    private long heapBytes;
    private long ceiling;

    /** What is replayed waits in {@code flusher} again, unless it is more than {@code mostBytes}. */
    OverlayRecovery(Base base, OverlayFlusher flusher, long mostBytes) {
        this.base = base;
        this.baseVersion = base.version();
        this.flusher = flusher;
        this.mostBytes = mostBytes;
        this.ceiling = baseVersion;
    }

    @Override
    public void record(long version, ByteBuffer payload) {
        int length = payload.remaining();
        BatchRecord batch = BatchRecord.decode(payload);
        ceiling = batch.ceiling();
        if (version > baseVersion) {
            OverlayFlusher.Logged logged = new OverlayFlusher.Logged(version, batch.mutations(), length);
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
        OverlayFlusher.Logged logged =
                new OverlayFlusher.Logged(version, BatchRecord.decode(payload).mutations(), payload.limit());
        flusher.add(logged);
        flusher.moveSteps();
    }

    /** Call once, when all is replayed. */
    Overlay overlay() {
        if (isTooMuch()) {
            flusher.finish();
            return Overlay.over(base.version());
        }
        Object editor = new Object(); // the overlay has no reader before all is replayed
        Overlay overlay = Overlay.over(baseVersion);
        for (OverlayFlusher.Logged logged : replayed) {
            for (BaseMutation mutation : logged.mutations()) {
                overlay = overlay.with(mutation, logged.version(), editor);
            }
            flusher.add(logged);
        }
        return overlay;
    }

    /** No version greater than this has ever been handed out. */
    long ceiling() {
        return ceiling;
    }
}
