package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.keys.KeyRange;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The last long gap that a scan has crossed: keys that the base still has and that were cleared one by one, as at the
 * head of a queue. The next edit clears such a gap as one range, so that later scans skip it in one step. Thread-safe.
 */
public final class EmptyRangeHint {
    /** The smallest gap to record. */
    static final int MIN_KEYS = 32;

    /** A range without visible rows, through an overlay over a base at {@code baseVersion}. */
    record ScannedRange(KeyRange range, long baseVersion) {}

    private final int minKeys;
    private final AtomicReference<@Nullable ScannedRange> gap = new AtomicReference<>();

    /** Ignores gaps of fewer than {@code minKeys} keys. */
    public EmptyRangeHint(int minKeys) {
        this.minKeys = minKeys;
    }

    void record(int keys, ScannedRange scannedRange) {
        if (keys >= minKeys) {
            gap.set(scannedRange);
        }
    }

    /**
     * Returns a range that may be cleared without changing the contents, or null.
     *
     * <p>No row of the base was visible in the range. Unless the overlay has been trimmed since, the overlay contains
     * all changes that the base has received since: cleared ranges, or keys set, of which the range must have none.
     */
    @Nullable KeyRange take(Overlay newest) {
        ScannedRange scannedRange = gap.get() == null ? null : gap.getAndSet(null);
        if (scannedRange == null || scannedRange.baseVersion != newest.baseVersion()) {
            return null;
        }
        KeyRange range = scannedRange.range;
        return newest.sets().rank(range.begin()) == newest.sets().rank(range.end()) ? range : null;
    }
}
