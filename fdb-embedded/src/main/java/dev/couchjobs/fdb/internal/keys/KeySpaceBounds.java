package dev.couchjobs.fdb.internal.keys;

import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The landmarks of the key space: user keys, system keys, and the special keys, of which this engine has one. */
@SuppressWarnings("MutablePublicArray") // The engine passes keys as arrays without copies and changes none.
public final class KeySpaceBounds {
    /** Where user keys end and system keys begin. */
    public static final byte[] USER_END = {(byte) 0xff};
    /** Where system keys end and special keys begin. */
    public static final byte[] SYSTEM_END = {(byte) 0xff, (byte) 0xff};

    private static final byte[] SPECIAL_END = {(byte) 0xff, (byte) 0xff, (byte) 0xff};
    private static final byte[] METADATA_VERSION =
            ByteArrayUtil.join(USER_END, "/metadataVersion".getBytes(StandardCharsets.US_ASCII));

    private static final byte[] CONNECTION_STRING =
            ByteArrayUtil.join(SYSTEM_END, "/connection_string".getBytes(StandardCharsets.US_ASCII));

    private KeySpaceBounds() {}

    static boolean isSystem(byte[] key) {
        return Bytes.startsWith(key, USER_END);
    }

    /** The one system key that any transaction may read, and may set to a versionstamp. */
    public static boolean isMetadataVersion(byte[] key) {
        return Arrays.equals(key, METADATA_VERSION);
    }

    /** The one special key that can be read. */
    public static boolean isConnectionString(byte[] key) {
        return Arrays.equals(key, CONNECTION_STRING);
    }

    public static void refuseSpecial(byte[] key) {
        if (Bytes.startsWith(key, SYSTEM_END) && Bytes.less(key, SPECIAL_END)) {
            throw new UnsupportedOperationException("The special key space (keys that begin with \\xff\\xff) is not"
                    + " part of the embedded engine; use the methods of Database and Transaction, or a cluster.");
        }
    }

    /** No stored key is longer than the storable size, so a longer bound means the same when cut just above it. */
    public static byte[] shortened(byte[] bound) {
        int size = Limits.storableKeyBytes(bound);
        return bound.length > size ? Arrays.copyOf(bound, size + 1) : bound;
    }
}
