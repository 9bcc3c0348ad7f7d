package dev.couchjobs.fdb.internal.keys;

import java.util.Arrays;

/** The keys from {@code begin} up to, but not including, {@code end}. The arrays are shared and never written. */
@SuppressWarnings("ArrayRecordComponent") // a range is never compared or hashed
public record KeyRange(byte[] begin, byte[] end) {
    public static KeyRange of(byte[] key) {
        return new KeyRange(key, Bytes.after(key));
    }

    public boolean contains(byte[] key) {
        return !Bytes.less(key, begin) && Bytes.less(key, end);
    }

    public boolean isSingleKey() {
        int length = begin.length;
        return end.length == length + 1 && end[length] == 0 && Arrays.equals(begin, 0, length, end, 0, length);
    }

    public boolean isEmpty() {
        return !Bytes.less(begin, end);
    }

    public long bytes() {
        return (long) begin.length + end.length;
    }
}
