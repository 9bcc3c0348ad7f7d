package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.keys.KeyRange;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Where scans found nothing for a long while: keys that the base still has and that were cleared one by one, as at the
 * head of a queue. Cleared once more in one piece, such a gap costs the next scan one step. Only the last gap found is
 * kept; the next read that meets another one records it. Thread-safe.
 */
public final class EmptyRangeHint {
    /** Less than this is not worth the telling. */
    static final int WORTHWHILE_KEYS = 32;

    /** A range in which there was nothing to be seen through an overlay that was over {@code base}. */
    record ScannedRange(KeyRange range, long base) {}

    private final int smallest;
    private final AtomicReference<@Nullable ScannedRange> found = new AtomicReference<>();

    /** Gaps of fewer than {@code smallest} keys are left alone. */
    public EmptyRangeHint(int smallest) {
        this.smallest = smallest;
    }

    void tell(int keys, ScannedRange scannedRange) {
        if (keys >= smallest) {
            found.set(scannedRange);
        }
    }

    /**
     * A range that may be cleared without changing what is to be seen, or null.
     *
     * <p>Nothing of the base was to be seen in it then, and as long as the overlay has not been trimmed since, all that
     * the base has got to hold is in the overlay as well: as a key set, of which there must be none, or as cleared.
     */
    @Nullable KeyRange take(Overlay newest) {
        ScannedRange scannedRange = found.get() == null ? null : found.getAndSet(null);
        if (scannedRange == null || scannedRange.base != newest.base()) {
            return null;
        }
        KeyRange range = scannedRange.range;
        return newest.sets().rank(range.begin()) == newest.sets().rank(range.end()) ? range : null;
    }
}
