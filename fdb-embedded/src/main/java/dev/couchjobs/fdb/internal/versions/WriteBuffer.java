package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.keys.AtomicMutation;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import dev.couchjobs.fdb.internal.keys.ConflictRanges;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.keys.RangeSet;
import dev.couchjobs.fdb.internal.keys.StampedKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one transaction by their effect: cleared ranges, and the writes to single keys on top of them. Not
 * thread-safe; immutable once the transaction commits.
 */
public final class WriteBuffer {
    /** Overhead that FoundationDB counts for each mutation. */
    private static final int MUTATION_OVERHEAD_BYTES = 44;

    private final RangeSet cleared = new RangeSet();
    private final NavigableMap<byte[], KeyWrites> keys = new TreeMap<>(Bytes.ORDER);
    private final List<StampedKey> stampedKeys = new ArrayList<>();
    private final RangeSet unreadable = new RangeSet();
    /**
     * Ranges without a visible stored row: the cleared ranges, joined with gaps that a read of the same snapshot found
     * empty. A read skips such a range in one step, however many clears it consists of.
     */
    private final RangeSet knownEmpty = new RangeSet();

    public boolean isEmpty() {
        return keys.isEmpty() && cleared.isEmpty() && stampedKeys.isEmpty();
    }

    public void set(byte[] key, byte[] value) {
        writesTo(key).assign(value);
    }

    public void clear(byte[] key) {
        keys.remove(key);
        clearBeneath(key, Bytes.after(key));
    }

    public void clear(byte[] begin, byte[] end) {
        keys.subMap(begin, true, end, false).clear();
        clearBeneath(begin, end);
    }

    private void clearBeneath(byte[] begin, byte[] end) {
        cleared.add(begin, end);
        knownEmpty.add(begin, end);
        makeReadable(begin, end);
    }

    public void mutate(AtomicMutation mutation, byte[] key, byte[] operand) {
        writesTo(key).mutate(mutation, operand);
        if (mutation == AtomicMutation.SET_VERSIONSTAMPED_VALUE) {
            unreadable.add(key, Bytes.after(key));
        }
    }

    public void stampKey(StampedKey stampedKey) {
        stampedKeys.add(stampedKey);
        unreadable.add(
                stampedKey.possibleKeys().begin(), stampedKey.possibleKeys().end());
    }

    /**
     * The writes to single keys, in key order; they apply after the cleared ranges. Key selectors count each of these
     * keys, also one that {@code COMPARE_AND_CLEAR} has removed, as FoundationDB's client does.
     */
    public NavigableMap<byte[], KeyWrites> keys() {
        return keys;
    }

    public @Nullable KeyRange clearedAt(byte[] key) {
        return cleared.isEmpty() ? null : cleared.rangeAt(key);
    }

    public boolean isUnreadable(byte[] begin, byte[] end) {
        return unreadable.intersects(begin, end);
    }

    public boolean hasUnreadable() {
        return !unreadable.isEmpty();
    }

    /** The ranges that are cleared, and those that are unreadable. */
    public void forEachRange(Consumer<KeyRange> action) {
        cleared.forEach(action);
        unreadable.forEach(action);
    }

    /** The range around {@code key} that is known to have no visible stored row. */
    public @Nullable KeyRange knownEmptyAt(byte[] key) {
        return knownEmpty.rangeAt(key);
    }

    /** Records that a read of the snapshot found no visible stored row in this range. */
    public void addKnownEmpty(byte[] begin, byte[] end) {
        knownEmpty.add(begin, end);
    }

    /**
     * Adds to {@code into} the parts of a range whose values depend on the stored rows: the gaps between this
     * transaction's writes, and each key with atomic operations only. Returns the number of parts.
     */
    public int addUndetermined(byte[] begin, byte[] end, ConflictRanges into) {
        if (!Bytes.less(begin, end)) {
            return 0;
        }
        if (keys.isEmpty() && cleared.isEmpty()) {
            into.add(new KeyRange(begin, end));
            return 1;
        }
        RangeSet gaps = new RangeSet();
        gaps.add(begin, end);
        cleared.within(begin, end).forEach(range -> gaps.remove(range.begin(), range.end()));
        int calculated = 0;
        for (Map.Entry<byte[], KeyWrites> entry :
                keys.subMap(begin, true, end, false).entrySet()) {
            KeyRange key = KeyRange.of(entry.getKey());
            gaps.remove(key.begin(), key.end());
            if (!entry.getValue().determined()) {
                into.add(key);
                calculated++;
            }
        }
        List<KeyRange> ranges = gaps.ranges();
        ranges.forEach(into::add);
        return ranges.size() + calculated;
    }

    public boolean isDetermined(byte[] key) {
        KeyWrites writes = keys.get(key);
        return writes != null ? writes.determined() : clearedAt(key) != null;
    }

    /** Applies the writes to {@code edit}. */
    void applyTo(Edit edit, CommitStamp stamp) {
        for (KeyRange range : cleared.ranges()) {
            if (range.isSingleKey()) {
                edit.clear(range.begin());
            } else {
                edit.clear(range.begin(), range.end());
            }
        }
        for (StampedKey stampedKey : stampedKeys) {
            byte[] key = stampedKey.key(stamp);
            if (stampedKey.survives(key)) {
                edit.set(key, stampedKey.value());
            }
        }
        List<byte[]> keysToSet = new ArrayList<>(keys.size());
        List<byte[]> values = new ArrayList<>(keys.size());
        for (Map.Entry<byte[], KeyWrites> entry : keys.entrySet()) {
            byte[] key = entry.getKey();
            KeyWrites writes = entry.getValue();
            byte[] value = writes.valueToStore(writes.determined() ? null : edit.get(key), stamp);
            if (value == null) {
                edit.clear(key);
            } else {
                keysToSet.add(key);
                values.add(value);
            }
        }
        edit.setAll(keysToSet, values);
    }

    /** The keys that contain the versionstamp. */
    public List<byte[]> stampedKeys(CommitStamp stamp) {
        List<byte[]> result = new ArrayList<>(stampedKeys.size());
        for (StampedKey stampedKey : stampedKeys) {
            result.add(stampedKey.key(stamp));
        }
        return result;
    }

    /** Passes on the ranges that the writes clear, and the keys that they may set. */
    public void forEachTouched(CommitStamp stamp, Consumer<KeyRange> ranges, Consumer<byte[]> singleKeys) {
        cleared.forEach(ranges);
        keys.keySet().forEach(singleKeys);
        stampedKeys.forEach(stampedKey -> singleKeys.accept(stampedKey.key(stamp)));
    }

    /** Whether the writes clear a key, or may set it; keys that contain the versionstamp do not count. */
    public boolean touches(byte[] key) {
        return keys.containsKey(key) || clearedAt(key) != null;
    }

    /** The number of keys and ranges written. */
    public int size() {
        return keys.size() + cleared.size() + stampedKeys.size();
    }

    /** The size of the writes, as FoundationDB counts it. */
    public long bytes() {
        long bytes = cleared.bytes(MUTATION_OVERHEAD_BYTES);
        for (StampedKey stampedKey : stampedKeys) {
            bytes += stampedKey.bytes() + MUTATION_OVERHEAD_BYTES;
        }
        for (Map.Entry<byte[], KeyWrites> entry : keys.entrySet()) {
            bytes += entry.getKey().length + entry.getValue().bytes() + MUTATION_OVERHEAD_BYTES;
        }
        return bytes;
    }

    private KeyWrites writesTo(byte[] key) {
        return keys.computeIfAbsent(key, this::newWrites);
    }

    private KeyWrites newWrites(byte[] key) {
        KeyWrites writes = new KeyWrites();
        if (clearedAt(key) != null) {
            writes.assign(null);
        }
        return writes;
    }

    private void makeReadable(byte[] begin, byte[] end) {
        if (!unreadable.intersects(begin, end)) {
            return;
        }
        unreadable.remove(begin, end);
        for (StampedKey stampedKey : stampedKeys) {
            stampedKey.clear(begin, end);
        }
    }
}
