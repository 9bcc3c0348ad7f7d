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
 * <p>The base moves on while contents are read, but only as far as no version within the window is older than it. What
 * moves into it stays in the overlay of all contents that were made before, so a reader sees the same whether or not it
 * has moved; only contents that have left the window may see more of it than they should, and a read on them is refused
 * when it ends.
 */
public record LayeredContents(Overlay overlay, Base base, EmptyRangeHint hint) implements Contents {
    /** Few enough to be counted in a few milliseconds. */
    private static final int COUNTED_ROWS = 5_000;

    private static final long COUNTED_BYTES = 1 << 20;

    /** The same base under another overlay. */
    LayeredContents under(Overlay other) {
        return new LayeredContents(other, base, hint);
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
    public Scan ascending(byte[] from) {
        return LayeredScan.ascending(this, from);
    }

    @Override
    public Scan descending(byte[] before) {
        return LayeredScan.descending(this, before);
    }

    @Override
    public LayeredContents with(List<BaseMutation> mutations, long version) {
        Object editor = new Object();
        Overlay changed = overlay;
        for (BaseMutation mutation : mutations) {
            changed = changed.with(mutation, version, editor);
        }
        return under(changed);
    }

    /**
     * Exact for small ranges, and otherwise an estimate: the base counts what has been cleared or set again since,
     * perhaps several times over, so what it says of the whole range is corrected by how far it is out at the beginning
     * of it.
     */
    @Override
    public long bytes(byte[] begin, byte[] end) {
        long counted = 0;
        byte[] countedTo = end;
        try (Scan scan = ascending(begin)) {
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
        long rest = estimatedBytes(countedTo, end);
        return counted + (estimated <= counted ? rest : (long) ((double) rest * counted / estimated));
    }

    /** What the overlay hides of the base counts as well. */
    private long estimatedBytes(byte[] begin, byte[] end) {
        return overlay.sets().summary(begin, end) + base.estimatedBytes(begin, end);
    }

    /** Reads the whole range. */
    @Override
    public List<byte[]> splitPoints(byte[] begin, byte[] end, long chunkBytes) {
        List<byte[]> points = new ArrayList<>();
        long chunk = 0;
        try (Scan scan = ascending(begin)) {
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
