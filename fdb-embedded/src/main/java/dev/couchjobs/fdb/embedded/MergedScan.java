package dev.couchjobs.fdb.embedded;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** Walks over a range of the database as it looks with a transaction's own writes done, in either direction. */
final class MergedScan implements AutoCloseable {
    private final Contents data;
    private final @Nullable WriteBuffer writes;
    private final boolean bypassUnreadable;
    private final byte[] begin;
    private final byte[] end;
    private final boolean reverse;

    private Scan stored;
    private final Iterator<Map.Entry<byte[], KeyWrites>> written;
    private Map.@Nullable Entry<byte[], KeyWrites> nextWritten;
    /** What lies between here and where the scan began has been seen, and so had to be readable. */
    private byte[] position;

    MergedScan(ReadView view, byte[] begin, byte[] end, boolean reverse) {
        this.data = view.data();
        this.writes = view.writes();
        this.bypassUnreadable = view.bypassUnreadable();
        this.begin = begin;
        this.end = end;
        this.reverse = reverse;
        this.position = reverse ? end : begin;
        this.written = writes == null || !Bytes.less(begin, end)
                ? Collections.emptyIterator()
                : inDirection(writes.keys().subMap(begin, true, end, false))
                        .entrySet()
                        .iterator();
        advanceWritten();
        this.stored = reverse ? data.descending(end) : data.ascending(begin);
    }

    @Override
    public void close() {
        stored.close();
    }

    /** Null past the last entry. */
    @Nullable Entry next() {
        while (true) {
            byte[] storedKey = nextStored();
            Map.Entry<byte[], KeyWrites> write = nextWritten;
            if (storedKey != null && (write == null || comesBefore(storedKey, write.getKey()))) {
                Entry entry = new Entry(storedKey, stored.value());
                stored.advance();
                passKey(storedKey);
                return entry;
            }
            if (write == null) {
                passTo(reverse ? begin : end);
                return null;
            }
            byte[] key = write.getKey();
            byte[] existing = storedKey != null && Arrays.equals(storedKey, key) ? stored.value() : null;
            if (existing != null) {
                stored.advance();
            }
            advanceWritten();
            passKey(key);
            byte[] value = write.getValue().over(existing);
            if (value != null) {
                return new Entry(key, value);
            }
        }
    }

    /** The key of the next stored entry that this transaction has not cleared. */
    private byte @Nullable [] nextStored() {
        while (stored.isOnEntry()) {
            byte[] key = stored.key();
            if (reverse ? Bytes.less(key, begin) : !Bytes.less(key, end)) {
                return null;
            }
            KeyRange cleared = writes == null ? null : writes.clearedAt(key);
            if (cleared == null) {
                return key;
            }
            stored.close();
            stored = reverse ? data.descending(cleared.begin()) : data.ascending(cleared.end());
        }
        return null;
    }

    private void passKey(byte[] key) {
        if (writes != null) {
            passTo(reverse ? key : Bytes.after(key));
        }
    }

    private void passTo(byte[] next) {
        if (writes != null && !bypassUnreadable) {
            boolean unreadable = reverse ? writes.isUnreadable(next, position) : writes.isUnreadable(position, next);
            if (unreadable) {
                throw FdbError.ACCESSED_UNREADABLE.exception();
            }
            position = next;
        }
    }

    private void advanceWritten() {
        nextWritten = written.hasNext() ? written.next() : null;
    }

    private boolean comesBefore(byte[] one, byte[] other) {
        return reverse ? Bytes.less(other, one) : Bytes.less(one, other);
    }

    private <V> NavigableMap<byte[], V> inDirection(NavigableMap<byte[], V> map) {
        return reverse ? map.descendingMap() : map;
    }
}
