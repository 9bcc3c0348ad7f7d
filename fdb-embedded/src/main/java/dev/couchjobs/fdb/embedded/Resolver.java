package dev.couchjobs.fdb.embedded;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Who wrote what in the last five seconds. Nearly all writes are of single keys, and those are kept as such; ranges are a step
 * function over the key space, in which each boundary says when the keys from there to the next boundary were last
 * written as part of a range. Both answer for a whole range in O(log n). Belongs to the sequencer, hence not thread-safe.
 */
final class Resolver {
    private static final long NEVER = 0;

    private enum Kind {
        KEY,
        BOUNDARY
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares or hashes a write
    private record Write(long version, byte[] key, Kind kind) {}

    private OrderedMap<Long> keys = OrderedMap.empty(Summary.GREATEST);
    private OrderedMap<Long> boundaries = OrderedMap.empty(Summary.GREATEST).put(Bytes.EMPTY, NEVER);
    /** In the order in which they came, so that those out of the window are found without a search. */
    private final Deque<Write> writes = new ArrayDeque<>();

    private long newest = NEVER;

    /** Whether any of {@code reads} was written after {@code readVersion}. */
    boolean conflicts(List<KeyRange> reads, long readVersion) {
        if (newest <= readVersion) {
            return false;
        }
        for (KeyRange read : reads) {
            if (lastWrite(read) > readVersion) {
                return true;
            }
        }
        return false;
    }

    /** Versions do not decrease from call to call. */
    void recordWrites(List<KeyRange> ranges, long version) {
        for (KeyRange range : ranges) {
            if (range.isSingleKey()) {
                recordKey(range.begin(), version);
            } else if (!range.isEmpty()) {
                recordRange(range, version);
            }
        }
    }

    void recordKey(byte[] key, long version) {
        keys = keys.put(key, version);
        writes.addLast(new Write(version, key, Kind.KEY));
        newest = version;
    }

    /** Forgets all that happened at or before {@code horizon}: nobody may read at a version that old any more. */
    void forgetUpTo(long horizon) {
        while (!writes.isEmpty() && writes.peekFirst().version <= horizon) {
            Write write = writes.removeFirst();
            if (write.kind == Kind.KEY) {
                forgetKey(write.key, horizon);
            } else {
                forgetBoundary(write.key, horizon);
            }
        }
    }

    /** How much is remembered. */
    int size() {
        return keys.size() + boundaries.size();
    }

    private long lastWrite(KeyRange range) {
        Node<Long> covering = boundaries.floor(range.begin());
        long inRange = covering == null ? NEVER : covering.value;
        if (range.isSingleKey()) {
            Long asKey = keys.get(range.begin());
            return asKey == null ? inRange : Math.max(asKey, inRange);
        }
        long asKeys = keys.summary(range.begin(), range.end());
        return Math.max(asKeys, Math.max(inRange, boundaries.summary(range.begin(), range.end())));
    }

    private void recordRange(KeyRange range, long version) {
        Node<Long> atEnd = boundaries.floor(range.end());
        long after = atEnd == null ? NEVER : atEnd.value;
        boundaries = boundaries
                .removeRange(range.begin(), range.end())
                .put(range.begin(), version)
                .put(range.end(), after);
        writes.addLast(new Write(version, range.begin(), Kind.BOUNDARY));
        writes.addLast(new Write(version, range.end(), Kind.BOUNDARY));
        newest = version;
    }

    private void forgetKey(byte[] key, long horizon) {
        Long last = keys.get(key);
        if (last != null && last <= horizon) {
            keys = keys.remove(key);
        }
    }

    private void forgetBoundary(byte[] boundary, long horizon) {
        Long last = boundaries.get(boundary);
        Node<Long> before = boundaries.lower(boundary);
        if (last != null && last <= horizon && before != null && before.value <= horizon) {
            boundaries = boundaries.remove(boundary);
        }
    }
}
