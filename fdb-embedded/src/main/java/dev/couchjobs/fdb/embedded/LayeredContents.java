package dev.couchjobs.fdb.embedded;

import dev.couchjobs.fdb.internal.base.Base;
import dev.couchjobs.fdb.internal.base.Change;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An overlay in memory over a base store on disk.
 *
 * <p>The base moves on while contents are read, but only as far as no version within the window is older than it. What
 * moves into it stays in the overlay of all contents that were made before, so a reader sees the same whether or not it has
 * moved; only contents that have left the window may see more of it than they should, and a read on them is refused when
 * it ends.
 */
record LayeredContents(Overlay overlay, Base base, Gaps gaps) implements Contents {
    /** The same base under another overlay. */
    LayeredContents under(Overlay other) {
        return new LayeredContents(other, base, gaps);
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
    public LayeredContents with(List<Change> changes, long version) {
        Object editor = new Object();
        Overlay changed = overlay;
        for (Change change : changes) {
            changed = changed.with(change, version, editor);
        }
        return under(changed);
    }

    /** An estimate: what the overlay hides of the base counts as well. */
    @Override
    public long bytes(byte[] begin, byte[] end) {
        return overlay.sets().summary(begin, end) + (Bytes.less(begin, end) ? base.estimatedBytes(begin, end) : 0);
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
