package dev.couchjobs.bridge.internal.couch;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Splits a stream of bytes into lines. The pieces of a line may end within a character. */
final class LineReader {
    /** Far more than the revisions of any document need. */
    static final int LONGEST_LINE = 16 << 20;

    /** Receives the lines. */
    interface Sink {
        void line(byte[] bytes, int length);

        /** An empty line. */
        void heartbeat();
    }

    private final Sink sink;
    private Bytes line = new Bytes();

    LineReader(Sink sink) {
        this.sink = sink;
    }

    void read(ByteBuffer bytes) {
        int start = bytes.position();
        for (int i = start; i < bytes.limit(); i++) {
            if (bytes.get(i) == '\n') {
                take(bytes, start, i);
                start = i + 1;
                end();
            }
        }
        take(bytes, start, bytes.limit());
        bytes.position(bytes.limit());
    }

    private void take(ByteBuffer bytes, int from, int to) {
        if (line.size() + (to - from) > LONGEST_LINE) {
            throw new TransientException("A line of the feed is longer than " + LONGEST_LINE + " bytes");
        }
        byte[] part = new byte[to - from];
        bytes.get(from, part);
        line.writeBytes(part);
    }

    private void end() {
        if (line.isBlank()) {
            sink.heartbeat();
        } else {
            sink.line(line.array(), line.size());
        }
        line.startAnew();
    }

    /** {@return whether the bytes end within a line} */
    boolean isTruncated() {
        return !line.isBlank();
    }

    /** Provides its bytes without a copy. */
    private static final class Bytes extends ByteArrayOutputStream {
        private static final int USUAL = 512;

        Bytes() {
            super(USUAL);
        }

        byte[] array() {
            return buf;
        }

        boolean isBlank() {
            for (int i = 0; i < count; i++) {
                if (buf[i] > ' ') {
                    return false;
                }
            }
            return true;
        }

        /** Clears the buffer, and frees the memory of a long line. */
        void startAnew() {
            reset();
            if (buf.length > USUAL * 128) {
                buf = new byte[USUAL];
            }
        }
    }
}
