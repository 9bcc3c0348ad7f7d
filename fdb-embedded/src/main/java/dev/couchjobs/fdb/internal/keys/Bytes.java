package dev.couchjobs.fdb.internal.keys;

import java.util.Arrays;
import java.util.Comparator;

/** Keys are byte strings in unsigned lexicographic order; this is the arithmetic on them. */
public final class Bytes {
    public static final byte[] EMPTY = {};

    public static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

    private Bytes() {}

    public static int compare(byte[] left, byte[] right) {
        return Arrays.compareUnsigned(left, right);
    }

    public static boolean less(byte[] left, byte[] right) {
        return Arrays.compareUnsigned(left, right) < 0;
    }

    /** The smallest key greater than {@code key}. */
    public static byte[] after(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    public static byte[] min(byte[] key, byte[] otherKey) {
        return less(otherKey, key) ? otherKey : key;
    }

    public static byte[] max(byte[] key, byte[] otherKey) {
        return less(key, otherKey) ? otherKey : key;
    }

    static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }
}
