package dev.couchjobs.fdb.internal.keys;

import java.nio.ByteBuffer;

/** The position of a commit in the serial order: its version, then its index in the batch of that version. */
public record CommitStamp(long version, int index) {
    public static final int BYTES = 10;

    public byte[] toBytes() {
        return filledInto(new byte[BYTES], 0);
    }

    /** A copy of {@code template} with this stamp at {@code offset}. */
    byte[] filledInto(byte[] template, int offset) {
        byte[] filled = template.clone();
        fill(filled, offset);
        return filled;
    }

    /** Writes this stamp into bytes. */
    void fill(byte[] bytes, int offset) {
        ByteBuffer.wrap(bytes).putLong(offset, version).putShort(offset + Long.BYTES, (short) index);
    }
}
