package dev.couchjobs.fdb.embedded;

import com.apple.foundationdb.KeySelector;
import org.jspecify.annotations.Nullable;

/**
 * The database as one read sees it: a snapshot, under the transaction's own writes where these are to be seen.
 *
 * @param writes null if there are none or the read does not see them
 * @param end where the keys end that the transaction may read
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares or hashes a view
record ReadView(Contents data, @Nullable WriteBuffer writes, boolean bypassUnreadable, byte[] end) {
    /**
     * A key selector without its or-equal: the {@code offset}-th key from {@code base} on, where 1 is the first key that
     * is not less than it and 0 the last one that is.
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares or hashes a selection
    record Selection(byte[] key, byte[] base, int offset) {
        static Selection of(KeySelector selector) {
            byte[] key = selector.getKey();
            return new Selection(key, selector.orEqual() ? Bytes.after(key) : key, selector.getOffset());
        }
    }

    /**
     * The key selected, or the end of the key space on the side where the selection has left the rows.
     *
     * @param overshoot how many places before the first row (negative) or beyond the place behind the last one (positive)
     *     the selection has led
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares or hashes a key found
    record Selected(byte[] key, long overshoot) {
        boolean isBefore(Selected other) {
            int order = Bytes.ORDER.compare(key, other.key);
            return order < 0 || (order == 0 && overshoot < other.overshoot);
        }
    }

    byte @Nullable [] get(byte[] key) {
        if (writes == null) {
            return data.get(key);
        }
        if (!bypassUnreadable && writes.isUnreadable(key, Bytes.after(key))) {
            throw FdbError.ACCESSED_UNREADABLE.exception();
        }
        KeyWrites write = writes.keys().get(key);
        if (write != null) {
            return write.over(write.determined() ? null : data.get(key));
        }
        return writes.clearedAt(key) == null ? data.get(key) : null;
    }

    MergedScan scan(byte[] from, byte[] to, boolean reverse) {
        return new MergedScan(this, from, to, reverse);
    }

    /** Walks from the base to the key selected, as a cluster does. */
    Selected select(Selection selection) {
        boolean forward = selection.offset > 0;
        long steps = forward ? selection.offset : 1L - selection.offset;
        byte[] base = Bytes.min(selection.base, end);
        try (MergedScan scan = forward ? scan(base, end, false) : scan(Bytes.EMPTY, base, true)) {
            while (true) {
                Entry entry = scan.next();
                if (entry == null) {
                    return forward ? new Selected(end, steps - 1) : new Selected(Bytes.EMPTY, -steps);
                }
                if (--steps == 0) {
                    return new Selected(entry.key(), 0);
                }
            }
        }
    }
}
