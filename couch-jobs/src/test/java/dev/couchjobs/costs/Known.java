package dev.couchjobs.costs;

import com.apple.foundationdb.Range;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Stretches of the key space, none within another. */
final class Known {
    /** The end of each stretch by its begin: later begins have later ends, as none is within another. */
    private final TreeMap<byte[], byte[]> stretches = new TreeMap<>(Arrays::compareUnsigned);

    /** Whether one of them covers all of that. */
    boolean covers(Range stretch) {
        Map.Entry<byte[], byte[]> known = stretches.floorEntry(stretch.begin);
        return known != null && Arrays.compareUnsigned(stretch.end, known.getValue()) <= 0;
    }

    void add(Range stretch) {
        if (covers(stretch)) {
            return;
        }
        Map.Entry<byte[], byte[]> next = stretches.ceilingEntry(stretch.begin);
        while (next != null && Arrays.compareUnsigned(next.getValue(), stretch.end) <= 0) {
            stretches.remove(next.getKey());
            next = stretches.ceilingEntry(stretch.begin);
        }
        stretches.put(stretch.begin, stretch.end);
    }

    int size() {
        return stretches.size();
    }
}
