package dev.couchjobs.fdb.internal.base;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** The keys that FoundationDB never stores. The version is kept under one of them, in one write with the data. */
final class ReservedKeys {
    /** Behind every key that can be stored. */
    static final byte[] BEGIN = {(byte) 0xff, (byte) 0xff};

    private static final byte[] NAME = "version".getBytes(US_ASCII);

    static final byte[] VERSION =
            ByteBuffer.allocate(BEGIN.length + NAME.length).put(BEGIN).put(NAME).array();

    private ReservedKeys() {}

    static boolean contains(byte[] key) {
        return Arrays.compareUnsigned(key, BEGIN) >= 0;
    }

    static byte[] encode(long version) {
        return ByteBuffer.allocate(Long.BYTES).putLong(version).array();
    }

    static long decode(byte[] version) {
        return ByteBuffer.wrap(version).getLong();
    }
}
