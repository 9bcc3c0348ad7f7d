package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Versionstamps. The tuple layer packs incomplete ones only where the native client is; this builds their operands.
 */
public final class Stamps {
    /** Before all messages. */
    public static final Versionstamp FIRST = Versionstamp.fromBytes(new byte[Versionstamp.LENGTH]);

    private static final int STAMP_BYTES = 10;
    private static final int USER_VERSION_MAX = 0xFFFF;
    /** The code of a versionstamp in a tuple. */
    private static final byte TUPLE_CODE = 0x33;

    /** Behind all messages. */
    public static final Versionstamp LAST = upTo(-1);

    private Stamps() {}

    /** {@return the last place that a commit of a version can have written} */
    public static Versionstamp upTo(long version) {
        byte[] stamp = new byte[STAMP_BYTES];
        Arrays.fill(stamp, (byte) 0xFF);
        ByteBuffer.wrap(stamp).putLong(0, version);
        return Versionstamp.complete(stamp, USER_VERSION_MAX);
    }

    /** {@return the last place before another, which a commit has written} */
    static Versionstamp before(Versionstamp place) {
        byte[] bytes = place.getBytes().clone();
        int last = bytes.length - 1;
        while (bytes[last] == 0) {
            bytes[last--] = (byte) 0xFF;
        }
        bytes[last]--;
        return Versionstamp.fromBytes(bytes);
    }

    /** {@return the version of the commit} */
    public static long version(Versionstamp stamp) {
        return ByteBuffer.wrap(stamp.getBytes()).getLong();
    }

    /** Sets {@code prefix + tuple(stamp) + suffix}. */
    static void setKey(Transaction tx, byte[] prefix, int userVersion, byte[] suffix, byte[] value) {
        ByteBuffer operand =
                ByteBuffer.allocate(prefix.length + 1 + Versionstamp.LENGTH + suffix.length + Integer.BYTES);
        operand.put(prefix).put(TUPLE_CODE).put(new byte[STAMP_BYTES]).putShort((short) userVersion);
        operand.put(suffix).order(ByteOrder.LITTLE_ENDIAN).putInt(prefix.length + 1);
        tx.mutate(MutationType.SET_VERSIONSTAMPED_KEY, operand.array(), value);
    }

    /** Sets a key to the stamp of the commit. */
    public static void setValue(Transaction tx, byte[] key) {
        setValue(tx, key, new byte[0]);
    }

    /** Sets a key to the stamp of the commit, followed by other bytes. */
    public static void setValue(Transaction tx, byte[] key, byte[] suffix) {
        ByteBuffer operand = ByteBuffer.allocate(STAMP_BYTES + suffix.length + Integer.BYTES);
        operand.put(new byte[STAMP_BYTES]).put(suffix); // the stamp begins at 0
        tx.mutate(MutationType.SET_VERSIONSTAMPED_VALUE, key, operand.array());
    }

    /** {@return the bytes that follow the stamp} */
    public static byte[] behindValue(byte[] value) {
        return Arrays.copyOfRange(value, Math.min(STAMP_BYTES, value.length), value.length);
    }
}
