package dev.couchjobs.fdb.internal.commit;

import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.versions.MapNode;
import dev.couchjobs.fdb.internal.versions.OrderedMap;
import dev.couchjobs.fdb.internal.versions.Summary;
import java.util.Collections;
import java.util.List;

/**
 * The last write of each key within an interval of versions. Nearly all writes are of single keys, kept in one map.
 * Ranges are a step function over the key space: each boundary holds the version of the last range write from there up
 * to the next boundary. Both maps answer for a whole range in O(log n). Not thread-safe.
 */
final class RecentWrites {
    private static final long NEVER = 0;

    private final long oldest;
    private final Object owner = new Object(); // no other owner changes these maps
    private long newest;
    private OrderedMap<Long> keys = OrderedMap.empty(Summary.GREATEST);
    private OrderedMap<Long> boundaries = OrderedMap.empty(Summary.GREATEST).put(Bytes.EMPTY, NEVER);

    /** Holds writes at {@code oldest} and later versions. */
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
        keys = keys.put(key, version, owner);
        newest = version;
    }

    /** Adds keys in ascending order. Versions do not decrease from call to call. */
    void addKeys(List<byte[]> ascending, long version) {
        keys = keys.putAll(ascending, Collections.nCopies(ascending.size(), version), owner);
        newest = version;
    }

    /** The range must not be empty. Versions do not decrease from call to call. */
    void addRange(KeyRange range, long version) {
        MapNode<Long> atEnd = boundaries.floor(range.end());
        long after = atEnd == null ? NEVER : atEnd.value;
        boundaries = boundaries
                .removeRange(range.begin(), range.end(), owner)
                .put(range.begin(), version, owner)
                .put(range.end(), after, owner);
        newest = version;
    }

    /** The version of the last write in the range; 0 if there is none. */
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
