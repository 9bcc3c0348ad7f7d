package dev.couchjobs.fdb.contract;

import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Operands for versionstamped mutations, made by hand: the tuple layer's own helper needs the native library. */
public final class VersionstampOperands {

    public static final int LENGTH = 10;
    static final byte[] PLACEHOLDER = new byte[LENGTH];

    private VersionstampOperands() {}

    /** {@code before}, the place for the stamp, {@code after}, and the offset that says where the place is. */
    public static byte[] operand(byte[] before, byte[] after) {
        return ByteArrayUtil.join(before, PLACEHOLDER, after, offset(before.length));
    }

    static byte[] offset(int position) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(position)
                .array();
    }

    /** The commit version that a stamp starts with. */
    static long version(byte[] stamp) {
        return ByteBuffer.wrap(stamp).getLong();
    }
}
