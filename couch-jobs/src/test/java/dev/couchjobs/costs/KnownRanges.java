package dev.couchjobs.costs;

import com.apple.foundationdb.Range;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Ranges of keys, none of which contains another. */
final class KnownRanges {
    /** The end of each range by its begin. Later begins have later ends, because no range contains another. */
    private final TreeMap<byte[], byte[]> ranges = new TreeMap<>(Arrays::compareUnsigned);

    /** {@return whether one of the ranges contains the given one} */
    boolean covers(Range range) {
        Map.Entry<byte[], byte[]> known = ranges.floorEntry(range.begin);
        return known != null && Arrays.compareUnsigned(range.end, known.getValue()) <= 0;
    }

    void add(Range range) {
        if (covers(range)) {
            return;
        }
        Map.Entry<byte[], byte[]> next = ranges.ceilingEntry(range.begin);
        while (next != null && Arrays.compareUnsigned(next.getValue(), range.end) <= 0) {
            ranges.remove(next.getKey());
            next = ranges.ceilingEntry(range.begin);
        }
        ranges.put(range.begin, range.end);
    }

    int size() {
        return ranges.size();
    }
}
