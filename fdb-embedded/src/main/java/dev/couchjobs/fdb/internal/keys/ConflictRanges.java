package dev.couchjobs.fdb.internal.keys;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * The conflict ranges of a transaction, as a list that only grows until it is read. Most transactions add ranges in
 * ascending order, and then an addition compares two keys; others are sorted and joined when the ranges are read, or
 * when their number has doubled. Not thread-safe.
 */
public final class ConflictRanges {
    private static final int JOINED_AT_LEAST = 256;

    private final List<KeyRange> ranges = new ArrayList<>();
    /** Whether the ranges ascend and neither overlap nor touch. */
    private boolean joined = true;

    private int joinAtSize = JOINED_AT_LEAST;

    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** Adds a range that is not empty. */
    public void add(KeyRange range) {
        if (joined && !ranges.isEmpty()) {
            joined = Bytes.less(ranges.get(ranges.size() - 1).end(), range.begin());
        }
        ranges.add(range);
        if (!joined && ranges.size() >= joinAtSize) {
            join();
            joinAtSize = Math.max(JOINED_AT_LEAST, 2 * ranges.size());
        }
    }

    /** The ranges in ascending order, none of which overlap or touch. */
    public List<KeyRange> ranges() {
        join();
        return Collections.unmodifiableList(ranges);
    }

    /** The bytes of both ends of each range, plus {@code overhead} for each. */
    public long bytes(int overhead) {
        join();
        long bytes = 0;
        for (KeyRange range : ranges) {
            bytes += range.bytes() + overhead;
        }
        return bytes;
    }

    private void join() {
        if (joined) {
            return;
        }
        ranges.sort(Comparator.comparing(KeyRange::begin, Bytes.ORDER));
        int last = 0;
        for (int i = 1; i < ranges.size(); i++) {
            KeyRange before = ranges.get(last);
            KeyRange range = ranges.get(i);
            if (Bytes.less(before.end(), range.begin())) {
                last++;
                ranges.set(last, range);
            } else if (Bytes.less(before.end(), range.end())) {
                ranges.set(last, new KeyRange(before.begin(), range.end()));
            }
        }
        ranges.subList(last + 1, ranges.size()).clear();
        joined = true;
    }
}
