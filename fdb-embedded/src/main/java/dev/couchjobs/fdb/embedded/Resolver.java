package dev.couchjobs.fdb.embedded;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Who wrote what in the last five seconds, as a step function over the key space: each boundary says when the keys from
 * there to the next boundary were last written. Belongs to the commit pipeline, hence not thread-safe.
 */
final class Resolver {
    private static final long NEVER = 0;

    @SuppressWarnings("ArrayRecordComponent") // nobody compares or hashes a write
    private record Write(long version, byte[] boundary) {}

    private OrderedMap<Long> lastWrites = OrderedMap.empty(Summary.GREATEST).put(Bytes.EMPTY, NEVER);
    /** Boundaries in the order they were drawn, so that those out of the window are found without a search. */
    private final Deque<Write> drawn = new ArrayDeque<>();

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
    void recordWrites(List<KeyRange> writes, long version) {
        for (KeyRange write : writes) {
            if (!write.isEmpty()) {
                recordWrite(write, version);
                newest = version;
            }
        }
    }

    /** Forgets all that happened at or before {@code horizon}: nobody may read at a version that old any more. */
    void forgetUpTo(long horizon) {
        while (!drawn.isEmpty() && drawn.peekFirst().version <= horizon) {
            byte[] boundary = drawn.removeFirst().boundary;
            Long last = lastWrites.get(boundary);
            Node<Long> before = lastWrites.lower(boundary);
            if (last != null && last <= horizon && before != null && before.value <= horizon) {
                lastWrites = lastWrites.remove(boundary);
            }
        }
    }

    int boundaries() {
        return lastWrites.size();
    }

    private long lastWrite(KeyRange range) {
        Node<Long> covering = lastWrites.floor(range.begin());
        long atBegin = covering == null ? NEVER : covering.value;
        return Math.max(atBegin, lastWrites.summary(range.begin(), range.end()));
    }

    private void recordWrite(KeyRange range, long version) {
        Node<Long> atEnd = lastWrites.floor(range.end());
        long after = atEnd == null ? NEVER : atEnd.value;
        lastWrites = lastWrites
                .removeRange(range.begin(), range.end())
                .put(range.begin(), version)
                .put(range.end(), after);
        drawn.addLast(new Write(version, range.begin()));
        drawn.addLast(new Write(version, range.end()));
    }
}
