package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.KeySelector;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.KeyWrites;
import dev.couchjobs.fdb.internal.versions.WriteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The database as one read sees it: the contents at the read version, with the transaction's own writes on top.
 *
 * @param writes null if there are none or the read does not see them
 * @param end where the keys end that the transaction may read
 */
@SuppressWarnings("ArrayRecordComponent") // a view is never compared or hashed
public record ReadView(Contents contents, @Nullable WriteBuffer writes, boolean bypassUnreadable, byte[] end) {
    /**
     * A key selector without its or-equal: the {@code offset}-th key from {@code base} on, where 1 is the first key
     * that is not less than it and 0 the last one that is.
     */
    @SuppressWarnings("ArrayRecordComponent") // a selection is never compared or hashed
    record Selection(byte[] key, byte[] base, int offset) {
        static Selection of(KeySelector selector) {
            byte[] key = selector.getKey();
            return new Selection(key, selector.orEqual() ? Bytes.after(key) : key, selector.getOffset());
        }
    }

    /**
     * The bound that a selection leads to, or the end of the key space on the side on which it leaves the rows.
     *
     * @param remaining how many keys (negative: backwards) remain to be counted from {@code key}
     */
    @SuppressWarnings("ArrayRecordComponent") // bounds are neither compared nor hashed
    record Bound(byte[] key, long remaining) {
        boolean isBefore(Bound other) {
            int order = Bytes.ORDER.compare(key, other.key);
            return order < 0 || (order == 0 && remaining < other.remaining);
        }

        /** Whether nothing lies from here up to {@code end}, wherever what remains leads. */
        boolean hasPassed(Bound end) {
            return remaining >= end.remaining && !Bytes.less(key, end.key);
        }
    }

    /** Whether there are keys that it may not read. */
    boolean hidesUnreadable() {
        return writes != null && !bypassUnreadable && writes.hasUnreadable();
    }

    byte @Nullable [] get(byte[] key) {
        if (writes == null) {
            return contents.get(key);
        }
        if (!bypassUnreadable && writes.isUnreadable(key, Bytes.after(key))) {
            throw FdbError.ACCESSED_UNREADABLE.exception();
        }
        KeyWrites write = writes.keys().get(key);
        if (write != null) {
            return write.valueSeen(write.determined() ? null : contents.get(key));
        }
        return writes.clearedAt(key) == null ? contents.get(key) : null;
    }

    public MergedScan scan(byte[] from, byte[] to, boolean reverse) {
        return new MergedScan(this, from, to, reverse);
    }

    /**
     * The key of the row selected, or the end of the key space on the side where the selection leaves the rows. The
     * last step leads to a row; the others count every key that {@link WriteBuffer#keys} counts.
     */
    byte[] select(Selection selection) {
        boolean forward = selection.offset > 0;
        long uncounted = forward ? selection.offset - 1L : -(long) selection.offset;
        byte[] base = Bytes.min(selection.base, end);
        try (MergedScan scan = forward ? scan(base, end, false) : scan(Bytes.EMPTY, base, true)) {
            while (scan.advance()) {
                if (uncounted > 0) {
                    uncounted--;
                } else if (scan.value() != null) {
                    return scan.key();
                }
            }
        }
        return forward ? end : Bytes.EMPTY;
    }

    /**
     * Where a range begins or ends: behind the keys that the selection counts forwards, or at the last it counts
     * backwards.
     */
    Bound bound(Selection selection) {
        byte[] base = Bytes.min(selection.base, end);
        long remaining = selection.offset - 1L;
        if (remaining == 0) {
            return new Bound(base, 0);
        }
        boolean forward = remaining > 0;
        byte[] key = base;
        try (MergedScan scan = forward ? scan(base, end, false) : scan(Bytes.EMPTY, base, true)) {
            while (remaining != 0 && scan.advance()) {
                remaining += forward ? -1 : 1;
                key = forward ? Bytes.after(scan.key()) : scan.key();
            }
        }
        byte[] edge = forward ? end : Bytes.EMPTY;
        return new Bound(remaining == 0 ? key : edge, remaining);
    }
}
