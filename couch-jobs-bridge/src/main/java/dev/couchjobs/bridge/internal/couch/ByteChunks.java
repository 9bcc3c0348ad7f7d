package dev.couchjobs.bridge.internal.couch;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The bytes of a request or an answer, in pieces. A small heap seldom has contiguous space for all of them, and Java 17
 * does not move large arrays to make it. Not thread-safe.
 */
final class ByteChunks extends OutputStream {
    private static final int SMALLEST = 1 << 10;
    private static final int LARGEST = 64 << 10;

    private final List<ByteBuffer> pieces = new ArrayList<>();
    private ByteBuffer last = ByteBuffer.allocate(0);
    private int size;

    int size() {
        return size;
    }

    void take(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            ByteBuffer room = room();
            int length = Math.min(room.remaining(), bytes.remaining());
            room.put(bytes.slice(bytes.position(), length));
            bytes.position(bytes.position() + length);
            size += length;
        }
    }

    private ByteBuffer room() {
        if (!last.hasRemaining()) {
            last = ByteBuffer.allocate(Math.max(SMALLEST, Math.min(LARGEST, size))); // at most half of it stays empty
            pieces.add(last);
        }
        return last;
    }

    @Override
    public void write(int value) {
        room().put((byte) value);
        size++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        take(ByteBuffer.wrap(bytes, offset, length));
    }

    /** {@return a new stream of all that was written so far} */
    InputStream read() {
        return new SequenceInputStream(
                Collections.enumeration(pieces.stream().map(ByteChunks::stream).toList()));
    }

    private static InputStream stream(ByteBuffer piece) {
        return new ByteArrayInputStream(piece.array(), piece.arrayOffset(), piece.position());
    }

    /** {@return a publisher of all that was written so far, for any number of requests} */
    BodyPublisher publisher() {
        return size == 0
                ? BodyPublishers.noBody()
                : BodyPublishers.fromPublisher(BodyPublishers.ofInputStream(this::read), size);
    }
}
