package dev.couchjobs.fdb.internal.base;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * What a list of changes comes to, so that RocksDB gets no more removals than there are keys to remove: each one slows
 * down the scans that pass it until it has been compacted away.
 *
 * <p>Ranges are removed first and single keys written behind them, which is the order of the changes again because a
 * range drops what was collected for its keys before.
 */
final class CoalescedMutations {
    /** A range removal is looked up by every read until it is compacted, so it has to replace more than a few keys. */
    private static final int KEYS_REMOVED_ONE_BY_ONE = 512;

    private final Predicate<byte[]> mayHold;
    private final Function<byte[], BaseCursor> ascending;
    private final NavigableMap<byte[], byte[]> puts = new TreeMap<>(Arrays::compareUnsigned);
    /** The keys to remove one by one, none of which is put. */
    private final NavigableSet<byte[]> removals = new TreeSet<>(Arrays::compareUnsigned);

    private final List<BaseMutation.Clear> ranges = new ArrayList<>();

    /** Reads the state that is changed; {@code mayHold} may be wrong in saying yes. */
    CoalescedMutations(Predicate<byte[]> mayHold, Function<byte[], BaseCursor> ascending) {
        this.mayHold = mayHold;
        this.ascending = ascending;
    }

    void add(BaseMutation mutation) {
        if (mutation instanceof BaseMutation.Put put) {
            requireStorable(put.key());
            puts.put(put.key(), put.value());
            if (!removals.isEmpty()) {
                removals.remove(put.key());
            }
        } else if (mutation instanceof BaseMutation.Remove remove) {
            remove(remove.key());
        } else if (mutation instanceof BaseMutation.Clear clear
                && Arrays.compareUnsigned(clear.begin(), clear.end()) < 0) {
            clear(clear.begin(), ReservedKeys.contains(clear.end()) ? ReservedKeys.BEGIN : clear.end());
        }
    }

    void writeTo(WriteBatch batch) throws RocksDBException {
        for (BaseMutation.Clear range : ranges) {
            batch.deleteRange(range.begin(), range.end());
        }
        for (byte[] key : removals) {
            batch.delete(key);
        }
        for (Map.Entry<byte[], byte[]> entry : puts.entrySet()) {
            batch.put(entry.getKey(), entry.getValue());
        }
    }

    /** What is known to be empty afterwards, when these were the gaps before. */
    EmptyRanges gapsAfter(EmptyRanges before) {
        EmptyRanges gaps = before;
        for (BaseMutation.Clear range : ranges) {
            gaps = gaps.with(range.begin(), range.end());
        }
        return gaps.without(puts);
    }

    private void remove(byte[] key) {
        requireStorable(key);
        puts.remove(key);
        if (mayHold.test(key)) {
            removals.add(key);
        }
    }

    private void clear(byte[] begin, byte[] end) {
        if (Arrays.compareUnsigned(begin, end) >= 0) {
            return;
        }
        puts.subMap(begin, end).clear();
        removals.subSet(begin, end).clear();
        if (ranges.removeIf(range -> isWithin(range, begin, end))) { // so this one has more than a few keys, too
            ranges.add(new BaseMutation.Clear(begin, end));
            return;
        }
        List<byte[]> held = new ArrayList<>();
        try (BaseCursor cursor = ascending.apply(begin)) {
            byte[] key = cursor.key();
            while (key != null && Arrays.compareUnsigned(key, end) < 0) {
                if (held.size() == KEYS_REMOVED_ONE_BY_ONE) {
                    ranges.add(new BaseMutation.Clear(begin, end));
                    return;
                }
                held.add(key);
                cursor.advance();
                key = cursor.key();
            }
        }
        removals.addAll(held);
    }

    private static boolean isWithin(BaseMutation.Clear range, byte[] begin, byte[] end) {
        return Arrays.compareUnsigned(begin, range.begin()) <= 0 && Arrays.compareUnsigned(range.end(), end) <= 0;
    }

    private static void requireStorable(byte[] key) {
        if (ReservedKeys.contains(key)) {
            throw new IllegalArgumentException("Keys from \\xff\\xff on are not stored");
        }
    }
}
