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
 * The committed changes that the base lacks: keys set, and ranges cleared beneath them. Immutable.
 *
 * <p>Cleared ranges do not overlap, and each part of one keeps the version of its last clear. Once the base has that
 * version the part has to be removed, or it would hide rows that the base receives later.
 *
 * @param sets the keys set and not cleared again
 * @param cleared the ranges in which no row of the base is visible, by their begin
 * @param baseVersion the version of the base to which the changes apply
 */
public record Overlay(OrderedMap<byte[]> sets, OrderedMap<Cleared> cleared, long baseVersion) {
    /** A range from its key in the map up to, but not including, {@code end}. */
    @SuppressWarnings("ArrayRecordComponent") // a cleared range is never compared or hashed
    record Cleared(byte[] end, long version) {}

    /** Returns an overlay without changes, over a base at {@code baseVersion}. */
    public static Overlay empty(long baseVersion) {
        return new Overlay(OrderedMap.empty(Summary.TOTAL_BYTES), OrderedMap.empty(Summary.nothing()), baseVersion);
    }

    /** Sets a key; for {@code owner} see {@link OrderedMap#put(byte[], Object, Object)}. */
    Overlay set(byte[] key, byte[] value, Object owner) {
        return with(sets.put(key, value, owner), cleared);
    }

    /** Sets keys, which ascend; for {@code owner} see {@link OrderedMap#put(byte[], Object, Object)}. */
    Overlay setAll(List<byte[]> keys, List<byte[]> values, Object owner) {
        return with(sets.putAll(keys, values, owner), cleared);
    }

    /** Clears a key. Versions do not decrease from call to call. */
    Overlay clear(byte[] key, long version, Object owner) {
        byte[] end = Bytes.after(key);
        return with(sets.remove(key, owner), withCleared(key, end, version, owner));
    }

    /** Clears a range. Versions do not decrease from call to call. */
    Overlay clear(byte[] begin, byte[] end, long version, Object owner) {
        return Bytes.less(begin, end)
                ? with(sets.removeRange(begin, end, owner), withCleared(begin, end, version, owner))
                : this;
    }

    private OrderedMap<Cleared> withCleared(byte[] begin, byte[] end, long version, Object owner) {
        return cutAt(cutAt(cleared, begin, owner), end, owner)
                .removeRange(begin, end, owner)
                .put(begin, new Cleared(end, version), owner);
    }

    private Overlay with(OrderedMap<byte[]> nextSets, OrderedMap<Cleared> nextCleared) {
        return nextSets == sets && nextCleared == cleared ? this : new Overlay(nextSets, nextCleared, baseVersion);
    }

    Overlay with(BaseMutation mutation, long version, Object owner) {
        if (mutation instanceof BaseMutation.Put put) {
            return set(put.key(), put.value(), owner);
        }
        if (mutation instanceof BaseMutation.Remove remove) {
            return clear(remove.key(), version, owner);
        }
        BaseMutation.Clear clear = (BaseMutation.Clear) mutation;
        return clear(clear.begin(), clear.end(), version, owner);
    }

    /** The cleared range that contains {@code key}. */
    @Nullable KeyRange clearedAt(byte[] key) {
        MapNode<Cleared> part = cleared.floor(key);
        return part != null && Bytes.less(key, part.value.end) ? new KeyRange(part.key, part.value.end) : null;
    }

    /** Removes the changes of a batch, {@code mutations}, that the base has received; it is now at {@code version}. */
    Overlay without(List<BaseMutation> mutations, long version, Object owner) {
        OrderedMap<Cleared> remainingParts = cleared;
        for (BaseMutation mutation : mutations) {
            if (mutation instanceof BaseMutation.Remove remove) {
                remainingParts = withoutParts(remainingParts, KeyRange.of(remove.key()), version, owner);
            } else if (mutation instanceof BaseMutation.Clear clear) {
                remainingParts = withoutParts(remainingParts, new KeyRange(clear.begin(), clear.end()), version, owner);
            }
        }
        return new Overlay(withoutPuts(mutations, owner), remainingParts, version);
    }

    /**
     * The keys set without those of a batch. The keys of each commit in the batch ascend. A later put of a key, even of
     * an equal value, is not in the base.
     */
    private OrderedMap<byte[]> withoutPuts(List<BaseMutation> mutations, Object owner) {
        OrderedMap<byte[]> remaining = sets;
        List<byte[]> keys = new ArrayList<>();
        List<byte[]> values = new ArrayList<>();
        for (BaseMutation mutation : mutations) {
            if (mutation instanceof BaseMutation.Put put) {
                if (!keys.isEmpty() && !Bytes.less(keys.get(keys.size() - 1), put.key())) {
                    remaining = remaining.removeAllSame(keys, values, owner);
                    keys.clear();
                    values.clear();
                }
                keys.add(put.key());
                values.add(put.value());
            }
        }
        return remaining.removeAllSame(keys, values, owner);
    }

    /** Removes the parts that were cleared at or before {@code version}. */
    private static OrderedMap<Cleared> withoutParts(
            OrderedMap<Cleared> parts, KeyRange range, long version, Object owner) {
        List<byte[]> toRemove = new ArrayList<>();
        Cursor<Cleared> cursor = parts.ascending(range.begin());
        for (MapNode<Cleared> part = cursor.peek();
                part != null && Bytes.less(part.key, range.end());
                part = cursor.peek()) {
            if (part.value.version <= version) {
                toRemove.add(part.key);
            }
            cursor.advance();
        }
        OrderedMap<Cleared> remaining = parts;
        for (byte[] key : toRemove) {
            remaining = remaining.remove(key, owner);
        }
        return remaining;
    }

    /** Splits the range that contains {@code key} in its middle. */
    private static OrderedMap<Cleared> cutAt(OrderedMap<Cleared> parts, byte[] key, Object owner) {
        MapNode<Cleared> across = parts.lower(key);
        if (across == null || !Bytes.less(key, across.value.end)) {
            return parts;
        }
        Cleared whole = across.value;
        return parts.put(across.key, new Cleared(key, whole.version), owner).put(key, whole, owner);
    }
}
