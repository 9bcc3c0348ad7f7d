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

    public static byte[] min(byte[] one, byte[] other) {
        return less(other, one) ? other : one;
    }

    public static byte[] max(byte[] one, byte[] other) {
        return less(one, other) ? other : one;
    }

    static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }
}
