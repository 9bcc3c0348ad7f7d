package dev.couchjobs.internal.move;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.util.List;

/**
 * All rows of a stretch of keys.
 *
 * @param stretch where it begins, and where what comes next begins
 * @param rows the rows, in order
 */
record RowPage(Range stretch, List<KeyValue> rows) {
    byte[] from() {
        return stretch.begin;
    }

    byte[] to() {
        return stretch.end;
    }

    /** The part of it before a key. */
    RowPage upTo(byte[] key) {
        return ByteArrayUtil.compareUnsigned(key, to()) >= 0
                ? this
                : new RowPage(
                        new Range(from(), key),
                        rows.stream()
                                .filter(row -> ByteArrayUtil.compareUnsigned(row.getKey(), key) < 0)
                                .toList());
    }

    long bytes() {
        return rows.stream()
                .mapToLong(row -> row.getKey().length + (long) row.getValue().length)
                .sum();
    }
}
