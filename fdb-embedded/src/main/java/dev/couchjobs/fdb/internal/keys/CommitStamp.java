package dev.couchjobs.fdb.internal.keys;

import java.nio.ByteBuffer;

/** Where a transaction stands in the order of all: its commit version, then its place in that version's batch. */
public record CommitStamp(long version, int place) {
    public static final int BYTES = 10;

    public byte[] toBytes() {
        return filledInto(new byte[BYTES], 0);
    }

    /** A copy of {@code template} with this stamp at {@code offset}. */
    byte[] filledInto(byte[] template, int offset) {
        byte[] filled = template.clone();
        ByteBuffer.wrap(filled).putLong(offset, version).putShort(offset + Long.BYTES, (short) place);
        return filled;
    }
}
