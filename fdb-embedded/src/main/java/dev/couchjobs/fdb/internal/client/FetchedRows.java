package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.keys.KeyValuePair;
import dev.couchjobs.fdb.internal.keys.RangeSet;
import dev.couchjobs.fdb.internal.versions.KeyWrites;
import dev.couchjobs.fdb.internal.versions.WriteBuffer;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The key space as FoundationDB's client sees it during a read: cut into segments, each of which is known from the
 * transaction's own writes, known because it was fetched, not known yet, or unreadable. For one thread.
 */
final class FetchedRows {
    private static final byte[] END_OF_ALL_KEYS = {(byte) 0xff, (byte) 0xff};

    /** What the client knows of a segment. */
    enum Kind {
        /** What is stored there has not been fetched. */
        UNKNOWN,
        EMPTY,
        /** One key that selectors count, whether or not {@code COMPARE_AND_CLEAR} has left it without a value. */
        ROW,
        UNREADABLE
    }

    private final WriteBuffer writes;
    private final RangeSet fetched = new RangeSet();
    private final NavigableMap<byte[], byte[]> fetchedRows = new TreeMap<>(Bytes.ORDER);
    /** Where the segments begin, in order; the first is the empty key. */
    private byte[][] begins = {};

    FetchedRows(WriteBuffer writes) {
        this.writes = writes;
        cut();
    }

    /** Adds what the storage holds in a range. */
    void add(KeyRange range, Iterable<KeyValuePair> rows) {
        fetched.add(range.begin(), range.end());
        rows.forEach(row -> fetchedRows.put(row.key(), row.value()));
        cut();
    }

    private void cut() {
        NavigableSet<byte[]> cuts = new TreeSet<>(Bytes.ORDER);
        cuts.add(Bytes.EMPTY);
        writes.forEachRange(range -> addBoth(cuts, range));
        fetched.forEach(range -> addBoth(cuts, range));
        writes.keys().keySet().forEach(key -> addBoth(cuts, KeyRange.of(key)));
        fetchedRows.keySet().forEach(key -> addBoth(cuts, KeyRange.of(key)));
        cuts.removeIf(cut -> !Bytes.less(cut, END_OF_ALL_KEYS));
        begins = cuts.toArray(new byte[0][]);
    }

    private static void addBoth(NavigableSet<byte[]> cuts, KeyRange range) {
        cuts.add(range.begin());
        cuts.add(range.end());
    }

    /** The segment that a key is in. */
    int segmentAt(byte[] key) {
        int found = Arrays.binarySearch(begins, key, Bytes.ORDER);
        return found >= 0 ? found : -found - 2;
    }

    byte[] begin(int segment) {
        return begins[segment];
    }

    byte[] end(int segment) {
        return segment + 1 < begins.length ? begins[segment + 1] : END_OF_ALL_KEYS;
    }

    Kind kind(int segment) {
        byte[] key = begins[segment];
        KeyWrites own = writes.keys().get(key);
        if (writes.isUnreadable(key, Bytes.after(key))) {
            return Kind.UNREADABLE;
        }
        if (own != null) {
            return own.determined() || fetched.contains(key) ? Kind.ROW : Kind.UNKNOWN;
        }
        if (writes.clearedAt(key) != null) {
            return Kind.EMPTY;
        }
        if (!fetched.contains(key)) {
            return Kind.UNKNOWN;
        }
        return fetchedRows.containsKey(key) ? Kind.ROW : Kind.EMPTY;
    }

    boolean isUnreadable(int segment) {
        return kind(segment) == Kind.UNREADABLE;
    }

    boolean isUnknown(int segment) {
        return kind(segment) == Kind.UNKNOWN;
    }

    /** Whether a selector can step over the segment. */
    boolean isKnown(int segment) {
        return !isUnreadable(segment) && !isUnknown(segment);
    }

    boolean isRow(int segment) {
        return kind(segment) == Kind.ROW;
    }

    boolean isEmpty(int segment) {
        return kind(segment) == Kind.EMPTY;
    }

    /** {@return the row of a segment, or null if it has none} */
    @Nullable KeyValuePair row(int segment) {
        byte[] key = begins[segment];
        KeyWrites own = writes.keys().get(key);
        byte[] stored = fetchedRows.get(key);
        byte[] value = own == null ? Objects.requireNonNull(stored) : own.valueSeen(stored);
        return value == null ? null : new KeyValuePair(key, value);
    }

    /** Fails if the segment is unreadable. */
    void require(int segment) {
        if (isUnreadable(segment)) {
            throw FdbError.ACCESSED_UNREADABLE.exception();
        }
    }
}
