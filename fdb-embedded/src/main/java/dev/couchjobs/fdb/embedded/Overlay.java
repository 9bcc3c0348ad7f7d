package dev.couchjobs.fdb.embedded;

import dev.couchjobs.fdb.internal.base.Change;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What has been committed since the state that the base store holds: keys set, and ranges cleared beneath them. Immutable.
 *
 * <p>Cleared ranges do not overlap, and each part of one keeps the version of its last clear: once the base has that
 * version, the part says nothing new and has to go, or it would hide what the base gets to hold there later.
 *
 * @param sets the keys set since and not cleared again
 * @param cleared the begin of each range in which nothing of the base is to be seen
 * @param base the version from which on this knows everything
 */
record Overlay(OrderedMap<byte[]> sets, OrderedMap<Cleared> cleared, long base) {
    /** From the key it is filed under up to, but not including, {@code end}. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares or hashes a cleared range
    record Cleared(byte[] end, long version) {}

    /** Over a base that is at {@code version}. */
    static Overlay over(long version) {
        return new Overlay(OrderedMap.empty(Summary.TOTAL_BYTES), OrderedMap.empty(Summary.nothing()), version);
    }

    Overlay set(byte[] key, byte[] value) {
        return new Overlay(sets.put(key, value), cleared, base);
    }

    /** Versions do not decrease from call to call. */
    Overlay clear(byte[] begin, byte[] end, long version) {
        if (!Bytes.less(begin, end)) {
            return this;
        }
        OrderedMap<Cleared> parts = cutAt(cutAt(cleared, begin), end).removeRange(begin, end);
        return new Overlay(sets.removeRange(begin, end), parts.put(begin, new Cleared(end, version)), base);
    }

    Overlay with(Change change, long version) {
        if (change instanceof Change.Put put) {
            return set(put.key(), put.value());
        }
        if (change instanceof Change.Remove remove) {
            return clear(remove.key(), Bytes.after(remove.key()), version);
        }
        Change.Clear clear = (Change.Clear) change;
        return clear(clear.begin(), clear.end(), version);
    }

    /** The cleared range that {@code key} is in. */
    @Nullable KeyRange clearedAt(byte[] key) {
        Node<Cleared> part = cleared.floor(key);
        return part != null && Bytes.less(key, part.value.end) ? new KeyRange(part.key, part.value.end) : null;
    }

    /** Without what the base holds as well, now that it has all {@code changes} and is at {@code version}. */
    Overlay without(List<Change> changes, long version) {
        OrderedMap<byte[]> remainingSets = sets;
        OrderedMap<Cleared> remainingParts = cleared;
        for (Change change : changes) {
            if (change instanceof Change.Put put) {
                // The very array: if it has been set again since, even to the same, that is still to come.
                if (remainingSets.get(put.key()) == put.value()) {
                    remainingSets = remainingSets.remove(put.key());
                }
            } else if (change instanceof Change.Remove remove) {
                remainingParts = withoutParts(remainingParts, KeyRange.of(remove.key()), version);
            } else if (change instanceof Change.Clear clear) {
                remainingParts = withoutParts(remainingParts, new KeyRange(clear.begin(), clear.end()), version);
            }
        }
        return new Overlay(remainingSets, remainingParts, version);
    }

    /** Only parts that were cleared no later than {@code version} go. */
    private static OrderedMap<Cleared> withoutParts(OrderedMap<Cleared> parts, KeyRange range, long version) {
        OrderedMap<Cleared> remaining = parts;
        Cursor<Cleared> cursor = parts.ascending(range.begin());
        for (Node<Cleared> part = cursor.peek();
                part != null && Bytes.less(part.key, range.end());
                part = cursor.peek()) {
            if (part.value.version <= version) {
                remaining = remaining.remove(part.key);
            }
            cursor.advance();
        }
        return remaining;
    }

    /** The same ranges, none of which goes across {@code key}. */
    private static OrderedMap<Cleared> cutAt(OrderedMap<Cleared> parts, byte[] key) {
        Node<Cleared> across = parts.lower(key);
        if (across == null || !Bytes.less(key, across.value.end)) {
            return parts;
        }
        return parts.put(across.key, new Cleared(key, across.value.version)).put(key, across.value);
    }
}
