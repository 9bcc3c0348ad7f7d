package dev.couchjobs.fdb.internal.keys;

import dev.couchjobs.fdb.internal.common.FdbError;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A key or value with ten bytes left open for the commit's stamp. */
@SuppressWarnings("ArrayRecordComponent") // a template is never compared or hashed
public record StampTemplate(byte[] bytes, int offset) {
    /** Reads an operand that ends in the placeholder's offset, as four bytes little-endian. */
    public static StampTemplate parse(byte[] operand) {
        int offset = offset(operand);
        return new StampTemplate(Arrays.copyOf(operand, operand.length - Integer.BYTES), offset);
    }

    /** The bytes of an operand that {@link #parse} accepts, with the stamp in them. */
    public static byte[] fill(byte[] operand, CommitStamp stamp) {
        int offset = offset(operand);
        byte[] filled = Arrays.copyOf(operand, operand.length - Integer.BYTES);
        stamp.fill(filled, offset);
        return filled;
    }

    /** Fails unless {@link #parse} accepts an operand. */
    public static void check(byte[] operand) {
        int unused = offset(operand);
    }

    private static int offset(byte[] operand) {
        int length = operand.length - Integer.BYTES;
        if (length < 0) {
            throw FdbError.CLIENT_INVALID_OPERATION.exception("a versionstamped operand ends in a four-byte offset");
        }
        int offset = ByteBuffer.wrap(operand).order(ByteOrder.LITTLE_ENDIAN).getInt(length);
        if (offset < 0 || offset > length - CommitStamp.BYTES) {
            throw FdbError.CLIENT_INVALID_OPERATION.exception(
                    "a versionstamp at offset " + offset + " does not fit into " + length + " bytes");
        }
        return offset;
    }

    public byte[] filled(CommitStamp stamp) {
        return stamp.filledInto(bytes, offset);
    }

    /** Every key that a commit after {@code version} may make of this. */
    public KeyRange possibleKeys(long version) {
        byte[] last = bytes.clone();
        Arrays.fill(last, offset, offset + CommitStamp.BYTES, (byte) 0xff);
        return new KeyRange(filled(new CommitStamp(version, 0)), Bytes.after(last));
    }
}
