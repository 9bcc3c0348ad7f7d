package dev.couchjobs.bench;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Creates keys of 16 bytes and values of 100 bytes, of which half is incompressible. */
final class Data {
    static final int KEY_BYTES = 16;
    static final int VALUE_BYTES = 100;

    /** The first byte of the keys that are loaded and read. */
    static final byte ROWS = 'r';
    /** The first byte of the keys that writers put. */
    static final byte WRITTEN = 'w';
    /** The first byte of counters of a single writer. */
    static final byte OWN_COUNTERS = 'o';
    /** The first byte of counters that all writers share. */
    static final byte SHARED_COUNTERS = 's';
    /** The first byte of appended keys. */
    static final byte APPENDED = 'z';

    private Data() {}

    static byte[] key(byte kind, long major, long minor) {
        return ByteBuffer.allocate(KEY_BYTES)
                .put(kind)
                .put((byte) (major >>> Short.SIZE))
                .putShort((short) major)
                .putInt((int) (minor >>> Integer.SIZE))
                .putLong(minor)
                .array();
    }

    /** The key of a loaded row; consecutive numbers are far apart in key order. */
    static byte[] row(long number) {
        return key(ROWS, 0, Long.reverse(number) >>> 1);
    }

    static byte[] value() {
        byte[] value = new byte[VALUE_BYTES];
        byte[] random = new byte[VALUE_BYTES / 2];
        ThreadLocalRandom.current().nextBytes(random);
        System.arraycopy(random, 0, value, 0, random.length);
        return value;
    }

    static byte[] encode(long count) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(count)
                .array();
    }

    static long decode(byte @Nullable [] counter) {
        return counter == null
                ? 0
                : ByteBuffer.wrap(counter).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }
}
