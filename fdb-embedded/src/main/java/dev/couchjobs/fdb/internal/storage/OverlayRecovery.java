package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.base.Base;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.log.Replay;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds an overlay from the batches in the log that the base lacks. If these are too large for the heap, a second
 * replay flushes them to the base instead: there are no readers yet, and the batches are durable by then.
 */
final class OverlayRecovery implements Replay {
    private final Base base;
    private final long baseVersion;
    private final OverlayFlusher flusher;
    private final long maxBytes;
    private final List<OverlayFlusher.LoggedBatch> replayed = new ArrayList<>();
    private long heapBytes;
    private long ceiling;

    /** Adds the replayed batches to {@code flusher}, unless they take more than {@code maxBytes}. */
    OverlayRecovery(Base base, OverlayFlusher flusher, long maxBytes) {
        this.base = base;
        this.baseVersion = base.version();
        this.flusher = flusher;
        this.maxBytes = maxBytes;
        this.ceiling = baseVersion;
    }

    @Override
    public void record(long version, ByteBuffer payload) {
        int length = payload.remaining();
        BatchRecord batch = BatchRecord.decode(payload);
        ceiling = batch.ceiling();
        if (version > baseVersion) {
            OverlayFlusher.LoggedBatch logged = new OverlayFlusher.LoggedBatch(version, batch.mutations(), length);
            heapBytes += logged.heapBytes();
            if (isTooLarge()) {
                replayed.clear();
            } else {
                replayed.add(logged);
            }
        }
    }

    private boolean isTooLarge() {
        return heapBytes > maxBytes;
    }

    /** Requests a second replay if the batches are too large for an overlay. */
    @Override
    public @Nullable Replay again() {
        return isTooLarge() ? this::flush : null;
    }

    private void flush(long version, ByteBuffer payload) {
        if (version <= baseVersion) {
            return;
        }
        OverlayFlusher.LoggedBatch logged = new OverlayFlusher.LoggedBatch(
                version, BatchRecord.decode(payload).mutations(), payload.limit());
        flusher.add(logged);
        flusher.flushIfFull();
    }

    /** Call once, after the replay. */
    Overlay overlay() {
        if (isTooLarge()) {
            flusher.flushAll();
            return Overlay.empty(base.version());
        }
        Object owner = new Object(); // the overlay has no readers during the replay
        Overlay overlay = Overlay.empty(baseVersion);
        for (OverlayFlusher.LoggedBatch logged : replayed) {
            for (BaseMutation mutation : logged.mutations()) {
                overlay = overlay.with(mutation, logged.version(), owner);
            }
            flusher.add(logged);
        }
        return overlay;
    }

    /** No version greater than this has been handed out. */
    long ceiling() {
        return ceiling;
    }
}
