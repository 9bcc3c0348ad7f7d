package dev.couchjobs.topics.internal.log;

import dev.couchjobs.topics.MessageTooLargeException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of a message, but for its place. A value that is too large for one row of the database follows in rows
 * of its own, its chunks.
 *
 * @param token of the call that appended it; 0 if the caller's own transaction did
 * @param value JSON in UTF-8, or the bytes themselves; null if the message deletes its key
 */
@SuppressWarnings("ArrayRecordComponent") // rows are never compared
public record MessageRow(
        long token, Instant appendedAt, @Nullable String key, Map<String, String> headers, byte @Nullable [] value) {
    static final int CHUNK_BYTES = 90_000;
    /** Fits into one row of the database beside the longest key and headers, whatever they are. */
    private static final int WHOLE_BYTES_MAX = 50_000;

    private static final int KEY_BYTES_MAX = 1_000;
    private static final int HEADER_BYTES_MAX = 8_000;
    /** What the library adds to the headers of a dead letter. */
    private static final int LIBRARY_HEADER_BYTES_MAX = 6_000;
    /** The rest of the 10,000,000 bytes of a transaction is for the caller. */
    private static final int VALUE_BYTES_MAX = 8_000_000;

    /** {@return this message} Fails if the caller has made it too large. */
    public MessageRow checked() {
        return checked(HEADER_BYTES_MAX);
    }

    /** The same for a message with headers of the library beside those of the caller. */
    public MessageRow checkedDeadLetter() {
        return checked(HEADER_BYTES_MAX + LIBRARY_HEADER_BYTES_MAX);
    }

    private MessageRow checked(int headerBytesMax) {
        checkSize("The key of a message", bytes(key), KEY_BYTES_MAX);
        checkSize("The headers of a message", headerBytes(headers), headerBytesMax);
        checkSize("The value of a message", valueBytes(value), VALUE_BYTES_MAX);
        return this;
    }

    private static void checkSize(String what, int bytes, int max) {
        if (bytes > max) {
            throw new MessageTooLargeException(what + " has at most " + max + " bytes, and this one " + bytes
                    + ": store what is large elsewhere, and append where it is.");
        }
    }

    private static int bytes(@Nullable String text) {
        return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static int valueBytes(byte @Nullable [] value) {
        return value == null ? 0 : value.length;
    }

    /** {@return whether compaction removes its key} */
    public boolean isDeletion() {
        return value == null;
    }

    private static int headerBytes(Map<String, String> headers) {
        int bytes = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            bytes += bytes(header.getKey()) + bytes(header.getValue());
        }
        return bytes;
    }

    /** {@return what it counts for in the size of its partition} */
    Amount amount() {
        return new Amount(1, bytes());
    }

    /** {@return how many bytes its key, headers and value have} */
    public long bytes() {
        return (long) bytes(key) + headerBytes(headers) + valueBytes(value);
    }

    private boolean isInChunks() {
        return valueBytes(value) > WHOLE_BYTES_MAX;
    }

    /** {@return the value of its first row} */
    byte[] encode() {
        return FirstRow.encode(this, isInChunks());
    }

    /** {@return the values of the rows that follow} */
    List<byte[]> chunks() {
        List<byte[]> chunks = new ArrayList<>();
        if (value != null && isInChunks()) {
            for (int from = 0; from < value.length; from += CHUNK_BYTES) {
                chunks.add(Arrays.copyOfRange(value, from, Math.min(value.length, from + CHUNK_BYTES)));
            }
        }
        return chunks;
    }

    MessageRow withValue(byte[] chunks) {
        return new MessageRow(token, appendedAt, key, headers, chunks);
    }
}
