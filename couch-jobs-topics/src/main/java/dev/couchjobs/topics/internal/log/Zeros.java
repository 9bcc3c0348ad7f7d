package dev.couchjobs.topics.internal.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Finds zeros, which the tuple layer escapes, eight bytes at a time: most of the time of a row goes into this. */
final class Zeros {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long LOWEST_BITS = 0x0101010101010101L;
    private static final long HIGHEST_BITS = 0x8080808080808080L;

    private Zeros() {}

    /** {@return the index of the first zero, or the length if there is none} */
    static int next(byte[] bytes, int from) {
        int at = from;
        for (; at + Long.BYTES <= bytes.length; at += Long.BYTES) {
            long eight = (long) LONGS.get(bytes, at);
            // Subtracting 1 sets the highest bit of a zero. A byte above a zero may be marked too, but never one below.
            long zeros = (eight - LOWEST_BITS) & ~eight & HIGHEST_BITS;
            if (zeros != 0) {
                return at + Long.numberOfTrailingZeros(zeros) / Byte.SIZE;
            }
        }
        while (at < bytes.length && bytes[at] != 0) {
            at++;
        }
        return at;
    }

    /** {@return how many zeros there are} */
    static int count(byte[] bytes) {
        int count = 0;
        for (int at = next(bytes, 0); at < bytes.length; at = next(bytes, at + 1)) {
            count++;
        }
        return count;
    }
}
