package dev.couchjobs.fdb.internal.keys;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A set of keys, kept as disjoint ranges that do not touch. Not thread-safe. */
public final class RangeSet {
    private static final NavigableMap<byte[], byte[]> NONE =
            Collections.unmodifiableNavigableMap(new TreeMap<>(Bytes.ORDER));

    /** From the first key of each range to the end of that range; most sets stay empty. */
    private NavigableMap<byte[], byte[]> ends = NONE;

    public boolean isEmpty() {
        return ends.isEmpty();
    }

    public int size() {
        return ends.size();
    }

    public void add(byte[] begin, byte[] end) {
        if (!Bytes.less(begin, end)) {
            return;
        }
        if (ends.isEmpty()) {
            ends = new TreeMap<>(Bytes.ORDER);
            ends.put(begin, end);
            return;
        }
        Map.Entry<byte[], byte[]> last = ends.floorEntry(end);
        if (last == null || Bytes.less(last.getValue(), begin)) {
            ends.put(begin, end);
            return;
        }
        byte[] from = begin;
        byte[] to = end;
        Map.Entry<byte[], byte[]> before = ends.floorEntry(begin);
        if (before != null && !Bytes.less(before.getValue(), begin)) {
            if (!Bytes.less(before.getValue(), end)) {
                return;
            }
            from = before.getKey();
        }
        NavigableMap<byte[], byte[]> swallowed = ends.subMap(from, true, end, true);
        if (!swallowed.isEmpty()) {
            to = Bytes.max(end, swallowed.lastEntry().getValue());
            swallowed.clear();
        }
        ends.put(from, to);
    }

    public void remove(byte[] begin, byte[] end) {
        if (ends.isEmpty() || !Bytes.less(begin, end)) {
            return;
        }
        Map.Entry<byte[], byte[]> before = ends.lowerEntry(begin);
        if (before != null && Bytes.less(begin, before.getValue())) {
            ends.put(before.getKey(), begin);
            if (Bytes.less(end, before.getValue())) {
                ends.put(end, before.getValue());
                return;
            }
        }
        NavigableMap<byte[], byte[]> inside = ends.subMap(begin, true, end, false);
        if (!inside.isEmpty()) {
            byte[] lastEnd = inside.lastEntry().getValue();
            inside.clear();
            if (Bytes.less(end, lastEnd)) {
                ends.put(end, lastEnd);
            }
        }
    }

    public boolean contains(byte[] key) {
        return !ends.isEmpty() && rangeAt(key) != null;
    }

    /** The range that {@code key} is in. */
    public @Nullable KeyRange rangeAt(byte[] key) {
        Map.Entry<byte[], byte[]> before = ends.floorEntry(key);
        return before != null && Bytes.less(key, before.getValue())
                ? new KeyRange(before.getKey(), before.getValue())
                : null;
    }

    /** The first range that has a part from {@code key} on. */
    public @Nullable KeyRange firstFrom(byte[] key) {
        KeyRange around = rangeAt(key);
        return around != null ? around : range(ends.ceilingEntry(key));
    }

    /** The last range that has a part before {@code key}. */
    public @Nullable KeyRange lastBefore(byte[] key) {
        return range(ends.lowerEntry(key));
    }

    private static @Nullable KeyRange range(Map.@Nullable Entry<byte[], byte[]> entry) {
        return entry == null ? null : new KeyRange(entry.getKey(), entry.getValue());
    }

    public boolean intersects(byte[] begin, byte[] end) {
        if (ends.isEmpty() || !Bytes.less(begin, end)) {
            return false;
        }
        Map.Entry<byte[], byte[]> before = ends.lowerEntry(end);
        return before != null && Bytes.less(begin, before.getValue());
    }

    /** The parts of this set between {@code begin} and {@code end}, in order. */
    public List<KeyRange> within(byte[] begin, byte[] end) {
        List<KeyRange> parts = new ArrayList<>();
        if (!Bytes.less(begin, end)) {
            return parts;
        }
        KeyRange first = rangeAt(begin);
        byte[] from = first == null ? begin : first.begin();
        ends.subMap(from, true, end, false)
                .forEach((b, e) -> parts.add(new KeyRange(Bytes.max(b, begin), Bytes.min(e, end))));
        return parts;
    }

    /** Bytes of both ends of each range, plus {@code overhead} for each. */
    public long bytes(int overhead) {
        long bytes = 0;
        for (Map.Entry<byte[], byte[]> range : ends.entrySet()) {
            bytes += range.getKey().length + range.getValue().length + overhead;
        }
        return bytes;
    }

    public void forEach(Consumer<KeyRange> action) {
        ends.forEach((begin, end) -> action.accept(new KeyRange(begin, end)));
    }

    public List<KeyRange> ranges() {
        List<KeyRange> ranges = new ArrayList<>(ends.size());
        ends.forEach((begin, end) -> ranges.add(new KeyRange(begin, end)));
        return ranges;
    }
}
