package dev.couchjobs.fdb.embedded;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** Walks over a range of the database as it looks with a transaction's own writes done, in either direction. */
final class MergedScan {
    private final OrderedMap<byte[]> data;
    private final @Nullable WriteBuffer writes;
    private final boolean bypassUnreadable;
    private final byte[] begin;
    private final byte[] end;
    private final boolean reverse;

    private Cursor<byte[]> stored;
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
        this.stored = reverse ? data.descending(end) : data.ascending(begin);
        this.written = writes == null || !Bytes.less(begin, end)
                ? Collections.emptyIterator()
                : inDirection(writes.keys().subMap(begin, true, end, false))
                        .entrySet()
                        .iterator();
        advanceWritten();
    }

    /** Null past the last entry. */
    @Nullable Entry next() {
        while (true) {
            Node<byte[]> node = peekStored();
            Map.Entry<byte[], KeyWrites> write = nextWritten;
            if (node != null && (write == null || comesBefore(node.key, write.getKey()))) {
                stored.advance();
                passKey(node.key);
                return new Entry(node.key, node.value);
            }
            if (write == null) {
                passTo(reverse ? begin : end);
                return null;
            }
            byte[] key = write.getKey();
            byte[] existing = node != null && Arrays.equals(node.key, key) ? node.value : null;
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

    /** The next stored entry that this transaction has not cleared. */
    private @Nullable Node<byte[]> peekStored() {
        while (true) {
            Node<byte[]> node = stored.peek();
            if (node == null || (reverse ? Bytes.less(node.key, begin) : !Bytes.less(node.key, end))) {
                return null;
            }
            KeyRange cleared = writes == null ? null : writes.clearedAt(node.key);
            if (cleared == null) {
                return node;
            }
            stored = reverse ? data.descending(cleared.begin()) : data.ascending(cleared.end());
        }
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
