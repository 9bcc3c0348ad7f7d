package dev.couchjobs.fdb.internal.base;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Stretches that are known to hold no keys, though RocksDB may have many removed ones there, which it would step over
 * one by one. A queue that is eaten from its head leaves such a stretch, and every look for the new head begins there.
 * Immutable.
 */
final class EmptyRanges {
    /**
     * So many queues can be eaten at once. Of more, the gaps that have not grown for the longest time are forgotten.
     */
    private static final int KEPT = 256;

    static final EmptyRanges NONE = new EmptyRanges(new TreeMap<>(Arrays::compareUnsigned), 0);

    /** By their begin; they neither overlap nor touch. */
    private final NavigableMap<byte[], EmptyRange> gaps;

    private final long added;

    private EmptyRanges(NavigableMap<byte[], EmptyRange> gaps, long added) {
        this.gaps = gaps;
        this.added = added;
    }

    /** No key is between {@code begin}, inclusive, and {@code end}. */
    @SuppressWarnings("ArrayRecordComponent") // gaps are never compared
    private record EmptyRange(byte[] begin, byte[] end, long age) {}

    /** Where to look for the first key that is not less than {@code from}. */
    byte[] skipUpwards(byte[] from) {
        if (gaps.isEmpty()) {
            return from;
        }
        EmptyRange gap = valueOf(gaps.floorEntry(from));
        return gap != null && less(from, gap.end) ? gap.end : from;
    }

    /** Where to look for the last key that is less than {@code before}. */
    byte[] skipDownwards(byte[] before) {
        if (gaps.isEmpty()) {
            return before;
        }
        EmptyRange gap = valueOf(gaps.lowerEntry(before));
        return gap != null && !less(gap.end, before) ? gap.begin : before;
    }

    EmptyRanges with(byte[] begin, byte[] end) {
        NavigableMap<byte[], EmptyRange> changed = new TreeMap<>(gaps);
        byte[] first = begin;
        byte[] last = end;
        EmptyRange touching = valueOf(changed.floorEntry(last));
        while (touching != null && !less(touching.end, first)) {
            changed.remove(touching.begin);
            first = less(touching.begin, first) ? touching.begin : first;
            last = less(last, touching.end) ? touching.end : last;
            touching = valueOf(changed.floorEntry(last));
        }
        if (changed.size() == KEPT) {
            changed.values().stream()
                    .min(Comparator.comparingLong(EmptyRange::age))
                    .ifPresent(oldest -> changed.remove(oldest.begin));
        }
        changed.put(first, new EmptyRange(first, last, added));
        return new EmptyRanges(changed, added + 1);
    }

    /** What is left of them when these keys are set. */
    EmptyRanges without(NavigableMap<byte[], byte[]> keys) {
        if (gaps.isEmpty()) {
            return this;
        }
        NavigableMap<byte[], EmptyRange> changed = new TreeMap<>(Arrays::compareUnsigned);
        for (EmptyRange gap : gaps.values()) {
            NavigableMap<byte[], byte[]> inside = keys.subMap(gap.begin, true, gap.end, false);
            if (inside.isEmpty()) {
                changed.put(gap.begin, gap);
                continue;
            }
            byte[] first = inside.firstKey();
            if (less(gap.begin, first)) {
                changed.put(gap.begin, new EmptyRange(gap.begin, first, gap.age));
            }
            byte[] last = inside.lastKey();
            byte[] behind = Arrays.copyOf(last, last.length + 1);
            if (less(behind, gap.end) && changed.size() < KEPT) {
                changed.put(behind, new EmptyRange(behind, gap.end, gap.age));
            }
        }
        return new EmptyRanges(changed, added);
    }

    private static @Nullable EmptyRange valueOf(Map.@Nullable Entry<byte[], EmptyRange> entry) {
        return entry == null ? null : entry.getValue();
    }

    private static boolean less(byte[] left, byte[] right) {
        return Arrays.compareUnsigned(left, right) < 0;
    }
}
