package dev.couchjobs.fdb.internal.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes zeros, in pieces that end where sectors end. */
final class Zeros {
    private static final int PIECE = 1 << 18;
    private static final ByteBuffer ZEROS = ByteBuffer.allocate(PIECE).asReadOnlyBuffer();

    private Zeros() {}

    static void write(LogFile file, int start, int end) throws IOException {
        int at = start;
        while (at < end) {
            int length = Math.min(PIECE - at % PIECE, end - at);
            file.writeFully(ZEROS.duplicate().limit(length), at);
            at += length;
        }
    }
}
