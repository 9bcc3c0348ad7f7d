package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.base.Base;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.Scan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An overlay in memory over a base store on disk.
 *
 * <p>The flusher applies batches to the base while contents are read, but only batches older than the window. A flushed
 * batch stays in the overlays of all contents created before, so a reader sees the same rows before and after the
 * flush. Only contents that have left the window may show newer rows of the base, and a read on them fails when it
 * ends.
 */
public record LayeredContents(Overlay overlay, Base base, EmptyRangeHint hint) implements Contents {
    /** Rows that can be counted in a few milliseconds. */
    private static final int COUNTED_ROWS = 5_000;

    private static final long COUNTED_BYTES = 1 << 20;

    /** The same base under another overlay. */
    LayeredContents under(Overlay newOverlay) {
        return new LayeredContents(newOverlay, base, hint);
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        byte[] set = overlay.sets().get(key);
        if (set != null) {
            return set;
        }
        return overlay.clearedAt(key) == null ? base.get(key) : null;
    }

    @Override
    public Scan ascending(byte[] from, byte[] end) {
        return LayeredScan.ascending(this, from, end);
    }

    @Override
    public Scan descending(byte[] before, byte[] end) {
        return LayeredScan.descending(this, before, end);
    }

    @Override
    public LayeredContents with(List<BaseMutation> mutations, long version) {
        Object owner = new Object();
        Overlay changed = overlay;
        for (BaseMutation mutation : mutations) {
            changed = changed.with(mutation, version, owner);
        }
        return under(changed);
    }

    /**
     * Exact for small ranges, and otherwise an estimate. The base counts replaced and cleared rows as well, perhaps
     * several times, so its estimate is corrected by its error at the beginning of the range.
     */
    @Override
    public long bytes(byte[] begin, byte[] end) {
        long counted = 0;
        byte[] countedTo = end;
        try (Scan scan = ascending(begin, end)) {
            for (int rows = 0; scan.isOnEntry() && Bytes.less(scan.key(), end); rows++) {
                if (rows == COUNTED_ROWS || counted >= COUNTED_BYTES) {
                    countedTo = scan.key();
                    break;
                }
                counted += (long) scan.key().length + scan.value().length;
                scan.advance();
            }
        }
        if (!Bytes.less(countedTo, end)) {
            return counted;
        }
        long estimated = estimatedBytes(begin, countedTo);
        long remaining = estimatedBytes(countedTo, end);
        return counted + (estimated <= counted ? remaining : (long) ((double) remaining * counted / estimated));
    }

    /** Counts rows of the base that the overlay hides as well. */
    private long estimatedBytes(byte[] begin, byte[] end) {
        return overlay.sets().summary(begin, end) + base.estimatedBytes(begin, end);
    }

    /** Reads the whole range. */
    @Override
    public List<byte[]> splitPoints(byte[] begin, byte[] end, long chunkBytes) {
        List<byte[]> points = new ArrayList<>();
        long chunk = 0;
        try (Scan scan = ascending(begin, end)) {
            for (; scan.isOnEntry() && Bytes.less(scan.key(), end); scan.advance()) {
                long bytes = (long) scan.key().length + scan.value().length;
                if (chunk > 0 && chunk + bytes > chunkBytes) {
                    points.add(scan.key());
                    chunk = 0;
                }
                chunk += bytes;
            }
        }
        return points;
    }
}
