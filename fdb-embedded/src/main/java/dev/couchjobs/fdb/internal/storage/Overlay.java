package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.versions.Cursor;
import dev.couchjobs.fdb.internal.versions.MapNode;
import dev.couchjobs.fdb.internal.versions.OrderedMap;
import dev.couchjobs.fdb.internal.versions.Summary;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What has been committed since the state that the base store holds: keys set, and ranges cleared beneath them.
 * Immutable.
 *
 * <p>Cleared ranges do not overlap, and each part of one keeps the version of its last clear: once the base has that
 * version, the part says nothing new and has to go, or it would hide what the base gets to hold there later.
 *
 * @param sets the keys set since and not cleared again
 * @param cleared the begin of each range in which nothing of the base is to be seen
 * @param base the version from which on this knows everything
 */
public record Overlay(OrderedMap<byte[]> sets, OrderedMap<Cleared> cleared, long base) {
    /** From the key it is filed under up to, but not including, {@code end}. */
    @SuppressWarnings("ArrayRecordComponent") // a cleared range is never compared or hashed
    record Cleared(byte[] end, long version) {}

    /** Over a base that is at {@code version}. */
    public static Overlay over(long version) {
        return new Overlay(OrderedMap.empty(Summary.TOTAL_BYTES), OrderedMap.empty(Summary.nothing()), version);
    }

    /** As one of the changes of an editor: see {@link OrderedMap#put(byte[], Object, Object)}. */
    Overlay set(byte[] key, byte[] value, Object editor) {
        return with(sets.put(key, value, editor), cleared);
    }

    /** Likewise. Versions do not decrease from call to call. */
    Overlay clear(byte[] key, long version, Object editor) {
        byte[] end = Bytes.after(key);
        return with(sets.remove(key, editor), withCleared(key, end, version, editor));
    }

    /** Likewise. Versions do not decrease from call to call. */
    Overlay clear(byte[] begin, byte[] end, long version, Object editor) {
        return Bytes.less(begin, end)
                ? with(sets.removeRange(begin, end, editor), withCleared(begin, end, version, editor))
                : this;
    }

    private OrderedMap<Cleared> withCleared(byte[] begin, byte[] end, long version, Object editor) {
        return cutAt(cutAt(cleared, begin, editor), end, editor)
                .removeRange(begin, end, editor)
                .put(begin, new Cleared(end, version), editor);
    }

    private Overlay with(OrderedMap<byte[]> nextSets, OrderedMap<Cleared> nextCleared) {
        return nextSets == sets && nextCleared == cleared ? this : new Overlay(nextSets, nextCleared, base);
    }

    Overlay with(BaseMutation mutation, long version, Object editor) {
        if (mutation instanceof BaseMutation.Put put) {
            return set(put.key(), put.value(), editor);
        }
        if (mutation instanceof BaseMutation.Remove remove) {
            return clear(remove.key(), version, editor);
        }
        BaseMutation.Clear clear = (BaseMutation.Clear) mutation;
        return clear(clear.begin(), clear.end(), version, editor);
    }

    /** The cleared range that {@code key} is in. */
    @Nullable KeyRange clearedAt(byte[] key) {
        MapNode<Cleared> part = cleared.floor(key);
        return part != null && Bytes.less(key, part.value.end) ? new KeyRange(part.key, part.value.end) : null;
    }

    /** Likewise without what the base holds as well, now that it has all {@code changes} and is at {@code version}. */
    Overlay without(List<BaseMutation> mutations, long version, Object editor) {
        OrderedMap<byte[]> remainingSets = sets;
        OrderedMap<Cleared> remainingParts = cleared;
        for (BaseMutation mutation : mutations) {
            if (mutation instanceof BaseMutation.Put put) {
                // The very array: if it has been set again since, even to the same, that is still to come.
                if (remainingSets.get(put.key()) == put.value()) {
                    remainingSets = remainingSets.remove(put.key(), editor);
                }
            } else if (mutation instanceof BaseMutation.Remove remove) {
                remainingParts = withoutParts(remainingParts, KeyRange.of(remove.key()), version, editor);
            } else if (mutation instanceof BaseMutation.Clear clear) {
                remainingParts =
                        withoutParts(remainingParts, new KeyRange(clear.begin(), clear.end()), version, editor);
            }
        }
        return new Overlay(remainingSets, remainingParts, version);
    }

    /** Only parts that were cleared no later than {@code version} go. */
    private static OrderedMap<Cleared> withoutParts(
            OrderedMap<Cleared> parts, KeyRange range, long version, Object editor) {
        List<byte[]> known = new ArrayList<>();
        Cursor<Cleared> cursor = parts.ascending(range.begin());
        for (MapNode<Cleared> part = cursor.peek();
                part != null && Bytes.less(part.key, range.end());
                part = cursor.peek()) {
            if (part.value.version <= version) {
                known.add(part.key);
            }
            cursor.advance();
        }
        OrderedMap<Cleared> remaining = parts;
        for (byte[] key : known) {
            remaining = remaining.remove(key, editor);
        }
        return remaining;
    }

    /** The same ranges, none of which goes across {@code key}. */
    private static OrderedMap<Cleared> cutAt(OrderedMap<Cleared> parts, byte[] key, Object editor) {
        MapNode<Cleared> across = parts.lower(key);
        if (across == null || !Bytes.less(key, across.value.end)) {
            return parts;
        }
        Cleared whole = across.value;
        return parts.put(across.key, new Cleared(key, whole.version), editor).put(key, whole, editor);
    }
}
