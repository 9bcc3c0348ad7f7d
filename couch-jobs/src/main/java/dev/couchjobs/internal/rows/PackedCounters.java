package dev.couchjobs.internal.rows;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Counters as the words of one little-endian number, which one atomic addition changes. A word that is negative borrows
 * from the next one; in the sum of all shards every word is correct.
 */
public final class PackedCounters {
    private static final int WORD_BITS = 64;

    private PackedCounters() {}

    /** {@return whether any of the changes is not zero} */
    public static boolean isAny(long[] changes) {
        for (long change : changes) {
            if (change != 0) {
                return true;
            }
        }
        return false;
    }

    /** {@return the changes as one number} */
    public static byte[] encode(long[] changes) {
        ByteBuffer value = ByteBuffer.allocate(changes.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long borrowed = 0;
        for (long change : changes) {
            value.putLong(change - borrowed);
            borrowed = change - borrowed < 0 ? 1 : 0;
        }
        return value.array();
    }

    /** {@return the sums of those shards that have so many words} */
    public static long[] sum(List<byte[]> shards, int wordCount) {
        BigInteger rest = shards.stream()
                .filter(shard -> shard.length == wordCount * Long.BYTES)
                .map(shard -> new BigInteger(reversed(shard)))
                .reduce(BigInteger.ZERO, BigInteger::add);
        long[] words = new long[wordCount];
        for (int word = 0; word < wordCount; word++) {
            words[word] = rest.longValue();
            rest = rest.subtract(BigInteger.valueOf(words[word])).shiftRight(WORD_BITS);
        }
        return words;
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }
}
