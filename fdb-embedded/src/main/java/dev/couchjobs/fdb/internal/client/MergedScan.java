package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.keys.KeyValuePair;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.KeyWrites;
import dev.couchjobs.fdb.internal.versions.Scan;
import dev.couchjobs.fdb.internal.versions.WriteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** Walks over a range of the database as it looks with a transaction's own writes done, in either direction. */
public final class MergedScan implements AutoCloseable {
    private final Contents contents;
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

    private byte[] key = Bytes.EMPTY;
    private byte @Nullable [] value;

    MergedScan(ReadView view, byte[] begin, byte[] end, boolean reverse) {
        this.contents = view.contents();
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
        this.stored = reverse ? contents.descending(end, begin) : contents.ascending(begin, end);
    }

    @Override
    public void close() {
        stored.close();
    }

    /** The next row; null past the last one. */
    public @Nullable KeyValuePair next() {
        while (advance()) {
            if (value != null) {
                return new KeyValuePair(key, value);
            }
        }
        return null;
    }

    /** Steps to the next key that a selector counts; false past the last one. */
    boolean advance() {
        byte[] storedKey = nextStored();
        Map.Entry<byte[], KeyWrites> write = nextWritten;
        if (storedKey != null && (write == null || comesBefore(storedKey, write.getKey()))) {
            key = storedKey;
            value = stored.value();
            stored.advance();
            passKey(storedKey);
            return true;
        }
        if (write == null) {
            passTo(reverse ? begin : end);
            return false;
        }
        key = write.getKey();
        byte[] existing = storedKey != null && Arrays.equals(storedKey, key) ? stored.value() : null;
        if (existing != null) {
            stored.advance();
        }
        advanceWritten();
        passKey(key);
        value = write.getValue().valueSeen(existing);
        return true;
    }

    /** Of the key stepped to. */
    byte[] key() {
        return key;
    }

    /** Of the key stepped to; null if this transaction's {@code COMPARE_AND_CLEAR} has removed it. */
    byte @Nullable [] value() {
        return value;
    }

    /** The key of the next stored entry that this transaction has not cleared. */
    private byte @Nullable [] nextStored() {
        KeyRange firstHidden = null;
        while (true) {
            byte[] next = stored.isOnEntry() ? stored.key() : null;
            if (next != null && (reverse ? Bytes.less(next, begin) : !Bytes.less(next, end))) {
                next = null;
            }
            KeyRange hidden = next == null || writes == null ? null : writes.knownEmptyAt(next);
            if (hidden == null) {
                noteBare(firstHidden, next);
                return next;
            }
            if (firstHidden == null) {
                firstHidden = hidden;
            }
            stored.close();
            stored = reverse ? contents.descending(hidden.begin(), begin) : contents.ascending(hidden.end(), end);
        }
    }

    /**
     * Between what hid the first stored entry and the one that is now next, or the end of this scan, no other shows.
     */
    private void noteBare(@Nullable KeyRange firstHidden, byte @Nullable [] next) {
        if (firstHidden == null || writes == null) {
            return;
        }
        if (reverse) {
            writes.addKnownEmpty(next == null ? begin : Bytes.after(next), firstHidden.end());
        } else {
            writes.addKnownEmpty(firstHidden.begin(), next == null ? end : next);
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

    private boolean comesBefore(byte[] key, byte[] otherKey) {
        return reverse ? Bytes.less(otherKey, key) : Bytes.less(key, otherKey);
    }

    private <V> NavigableMap<byte[], V> inDirection(NavigableMap<byte[], V> map) {
        return reverse ? map.descendingMap() : map;
    }
}
