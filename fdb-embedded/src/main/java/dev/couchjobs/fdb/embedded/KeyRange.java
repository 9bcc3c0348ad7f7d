package dev.couchjobs.fdb.embedded;

import java.util.Arrays;

/** The keys from {@code begin} up to, but not including, {@code end}. The arrays are shared and never written. */
@SuppressWarnings("ArrayRecordComponent") // a range is never compared or hashed
record KeyRange(byte[] begin, byte[] end) {
    static KeyRange of(byte[] key) {
        return new KeyRange(key, Bytes.after(key));
    }

    boolean contains(byte[] key) {
        return !Bytes.less(key, begin) && Bytes.less(key, end);
    }

    boolean isSingleKey() {
        int length = begin.length;
        return end.length == length + 1 && end[length] == 0 && Arrays.equals(begin, 0, length, end, 0, length);
    }

    boolean isEmpty() {
        return !Bytes.less(begin, end);
    }

    long bytes() {
        return (long) begin.length + end.length;
    }
}
