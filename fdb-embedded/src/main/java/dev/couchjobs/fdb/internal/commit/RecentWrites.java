package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.versions.MapNode;
import dev.couchjobs.fdb.internal.versions.OrderedMap;
import dev.couchjobs.fdb.internal.versions.Summary;

/**
 * When keys were last written, over a stretch of versions. Nearly all writes are of single keys, and those are kept as
 * such; ranges are a step function over the key space, in which each boundary says when the keys from there to the next
 * boundary were last written as part of a range. Both answer for a whole range in O(log n). Not thread-safe.
 */
final class RecentWrites {
    private static final long NEVER = 0;

    private final long oldest;
    private final Object editor = new Object(); // no other editor has these maps
    private long newest;
    private OrderedMap<Long> keys = OrderedMap.empty(Summary.GREATEST);
    private OrderedMap<Long> boundaries = OrderedMap.empty(Summary.GREATEST).put(Bytes.EMPTY, NEVER);

    /** Of {@code oldest} and later versions. */
    RecentWrites(long oldest) {
        this.oldest = oldest;
        this.newest = oldest;
    }

    long oldest() {
        return oldest;
    }

    long newest() {
        return newest;
    }

    /** Versions do not decrease from call to call. */
    void addKey(byte[] key, long version) {
        keys = keys.put(key, version, editor);
        newest = version;
    }

    /** Likewise for a range that is not empty. */
    void addRange(KeyRange range, long version) {
        MapNode<Long> atEnd = boundaries.floor(range.end());
        long after = atEnd == null ? NEVER : atEnd.value;
        boundaries = boundaries
                .removeRange(range.begin(), range.end(), editor)
                .put(range.begin(), version, editor)
                .put(range.end(), after, editor);
        newest = version;
    }

    /** The last write that met the range; 0 if there was none. */
    long lastWrite(KeyRange range) {
        MapNode<Long> covering = boundaries.floor(range.begin());
        long inRange = covering == null ? NEVER : covering.value;
        if (range.isSingleKey()) {
            Long asKey = keys.get(range.begin());
            return asKey == null ? inRange : Math.max(asKey, inRange);
        }
        long asKeys = keys.summary(range.begin(), range.end());
        return Math.max(asKeys, Math.max(inRange, boundaries.summary(range.begin(), range.end())));
    }
}
