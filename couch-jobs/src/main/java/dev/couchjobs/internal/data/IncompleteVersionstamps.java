package dev.couchjobs.internal.data;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Writes versionstamps that the commit fills in.
 *
 * <p>The tuple layer can pack incomplete versionstamps, but needs the API version, which only the native client knows.
 * This class therefore builds the operand: the bytes with a placeholder, then the placeholder's offset as four
 * little-endian bytes (API version 520 and later).
 */
public final class IncompleteVersionstamps {
    private static final int STAMP_BYTES = 10;
    private static final int USER_VERSION_MAX = 0xFFFF;

    private IncompleteVersionstamps() {}

    /** {@return the last sequence that a transaction with this read version can see} */
    public static Versionstamp upTo(long readVersion) {
        byte[] stamp = new byte[STAMP_BYTES];
        Arrays.fill(stamp, (byte) 0xFF);
        ByteBuffer.wrap(stamp).putLong(0, readVersion);
        return Versionstamp.complete(stamp, USER_VERSION_MAX);
    }

    /** Sets {@code prefix + tuple(stamp)} to a value. */
    static void setStampedKey(Transaction tx, byte[] prefix, int userVersion, byte[] value) {
        // In a tuple the placeholder follows the type byte of its element.
        byte[] key =
                ByteArrayUtil.join(prefix, Tuple.from(placeholder(userVersion)).pack());
        tx.mutate(MutationType.SET_VERSIONSTAMPED_KEY, withOffset(key, prefix.length + 1), value);
    }

    /** Sets a key to a tuple whose first element is {@link #placeholder}. */
    static void setStampedValue(Transaction tx, byte[] key, Tuple stampFirst) {
        tx.mutate(MutationType.SET_VERSIONSTAMPED_VALUE, key, withOffset(stampFirst.pack(), 1));
    }

    /** Changes a key that others watch: its value is the sequence of the commit. */
    public static void touch(Transaction tx, byte[] watchedKey, int userVersion) {
        setStampedValue(tx, watchedKey, Tuple.from(placeholder(userVersion)));
    }

    /** {@return a placeholder that packs like a complete versionstamp; the commit replaces its ten bytes} */
    static Versionstamp placeholder(int userVersion) {
        byte[] stamp = new byte[STAMP_BYTES];
        Arrays.fill(stamp, (byte) 0xFF);
        return Versionstamp.complete(stamp, userVersion);
    }

    private static byte[] withOffset(byte[] bytes, int offset) {
        return ByteBuffer.allocate(bytes.length + Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(bytes)
                .putInt(offset)
                .array();
    }
}
