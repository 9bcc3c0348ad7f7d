package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.keys.KeyValuePair;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.Scan;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What the storage servers reply to a request for a range, and what the client concludes from it. On a cluster the rows
 * of the system follow those of the user, so a selector that leaves the latter ends at one of the former.
 */
final class StoredRows {
    private static final byte[] SYSTEM_BEGIN = {(byte) 0xff};
    private static final byte[] END_OF_ALL_KEYS = {(byte) 0xff, (byte) 0xff};

    private final Contents contents;
    private final byte[] maxKey;

    StoredRows(Contents contents, byte[] maxKey) {
        this.contents = contents;
        this.maxKey = maxKey;
    }

    /**
     * A reply, its rows in the order in which they were read.
     *
     * @param more whether a limit ended it
     * @param toBegin whether there is nothing before
     * @param throughEnd whether there is nothing behind
     */
    record Reply(List<KeyValuePair> rows, boolean more, boolean toBegin, boolean throughEnd) {
        /** {@return the range whose stored rows are known by this reply} */
        KeyRange knownRange(ClientRangeRead.Place begin, ClientRangeRead.Place end, boolean reverse) {
            boolean beginIsRead = begin.offset <= 1 && !(reverse && more);
            boolean endIsRead = end.offset >= 1 && (reverse || !more);
            byte[] from = beginIsRead ? begin.key : END_OF_ALL_KEYS;
            byte[] to = endIsRead ? end.key : Bytes.EMPTY;
            from = toBegin ? Bytes.EMPTY : from;
            to = throughEnd ? END_OF_ALL_KEYS : to;
            if (!rows.isEmpty()) {
                byte[] first = rows.get(0).key();
                byte[] last = rows.get(rows.size() - 1).key();
                from = reverse && more ? last : Bytes.min(from, reverse ? last : first);
                byte[] behind = Bytes.after(reverse ? first : last);
                to = !reverse && more ? behind : Bytes.max(to, behind);
            }
            return new KeyRange(from, to);
        }
    }

    Reply fetch(ClientRangeRead.Place begin, ClientRangeRead.Place end, ReadLimits limits, boolean reverse) {
        boolean beginsAtBegin = begin.key.length == 0 && begin.offset < 1;
        if (end.key.length == 0 && end.offset <= 1) {
            return new Reply(List.of(), false, beginsAtBegin, false);
        }
        ReadView.Bound from = bound(beginsAtBegin ? new ClientRangeRead.Place(Bytes.EMPTY, 1) : begin);
        ReadView.Bound to = bound(end);
        boolean leftRows = from.remaining() < 0 || to.remaining() < 0;
        byte[] toKey = to.remaining() < 0 ? Bytes.EMPTY : to.key();
        long systemFrom = Math.max(0, from.remaining());
        long systemTo = Math.max(0, to.remaining());
        if (!Bytes.less(from.key(), toKey) && systemFrom >= systemTo) {
            return new Reply(List.of(), false, beginsAtBegin && !leftRows, false);
        }
        List<KeyValuePair> rows = new ArrayList<>();
        if (reverse) {
            addSystemRows(rows, systemFrom, systemTo, true, limits);
        }
        if (systemFrom == 0) {
            addRows(rows, from.key(), toKey, reverse, limits);
        }
        if (!reverse) {
            addSystemRows(rows, systemFrom, systemTo, false, limits);
        }
        boolean more = limits.isReached();
        boolean toBegin = leftRows ? from.key().length == 0 && !(reverse && more) : beginsAtBegin;
        return new Reply(rows, more, toBegin, systemTo > 0 && !hasSystemRows() && (reverse || !more));
    }

    /** Users who may read the system's rows find none here. */
    private boolean hasSystemRows() {
        return Bytes.compare(maxKey, SYSTEM_BEGIN) == 0;
    }

    private ReadView.Bound bound(ClientRangeRead.Place place) {
        ReadView rowsOnly = new ReadView(contents, null, false, maxKey);
        return rowsOnly.bound(new ReadView.Selection(place.key, place.key, Math.toIntExact(place.offset)));
    }

    private void addRows(List<KeyValuePair> rows, byte[] from, byte[] to, boolean reverse, ReadLimits limits) {
        try (Scan scan = reverse ? contents.descending(to, from) : contents.ascending(from, to)) {
            while (scan.isOnEntry() && !limits.isReached() && isBetween(scan.key(), from, to)) {
                add(rows, new KeyValuePair(scan.key(), scan.value()), limits);
                scan.advance();
            }
        }
    }

    private static boolean isBetween(byte[] key, byte[] from, byte[] to) {
        return !Bytes.less(key, from) && Bytes.less(key, to);
    }

    private void addSystemRows(List<KeyValuePair> rows, long from, long to, boolean reverse, ReadLimits limits) {
        for (long i = 0; i < to - from && hasSystemRows() && !limits.isReached(); i++) {
            add(rows, systemRow(reverse ? to - 1 - i : from + i), limits);
        }
    }

    private static KeyValuePair systemRow(long number) {
        byte[] key = ByteBuffer.allocate(SYSTEM_BEGIN.length + Long.BYTES)
                .put(SYSTEM_BEGIN)
                .putLong(number)
                .array();
        return new KeyValuePair(key, Bytes.EMPTY);
    }

    private static void add(List<KeyValuePair> rows, KeyValuePair row, ReadLimits limits) {
        rows.add(row);
        limits.count(row);
    }
}
