package dev.couchjobs.internal.views;

import dev.couchjobs.RawPayload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A payload that is no JSON, as it is stored: a byte with which neither JSON nor an encrypted payload begins, the
 * version of the format, the length of the media type, the media type, and the bytes. RFC page 007 describes it.
 */
final class BinaryPayload {
    private static final byte MARKER = (byte) 0xC0;
    private static final byte VERSION = 1;
    private static final int FIXED_BYTES = 3;

    private BinaryPayload() {}

    static boolean is(byte[] stored) {
        return stored.length > 0 && stored[0] == MARKER;
    }

    static byte[] write(String mediaType, byte[] bytes) {
        byte[] type = mediaType.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(FIXED_BYTES + type.length + bytes.length)
                .put(MARKER)
                .put(VERSION)
                .put((byte) type.length)
                .put(type)
                .put(bytes)
                .array();
    }

    static RawPayload read(byte[] stored) {
        ByteBuffer in = ByteBuffer.wrap(stored, 1, stored.length - 1);
        byte version = in.get();
        if (version != VERSION) {
            throw new IllegalArgumentException("it was stored by a later version of couch-jobs");
        }
        byte[] type = new byte[Byte.toUnsignedInt(in.get())];
        in.get(type);
        byte[] bytes = new byte[in.remaining()];
        in.get(bytes);
        return RawPayload.of(new String(type, StandardCharsets.US_ASCII), bytes);
    }
}
