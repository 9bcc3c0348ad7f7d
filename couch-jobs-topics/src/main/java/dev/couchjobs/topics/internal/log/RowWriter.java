package dev.couchjobs.topics.internal.log;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Encodes the first row of a message as a tuple is packed, several times as fast. {@link WholeRow} decodes it. */
final class RowWriter {
    private final byte[] row;
    private int at;

    private RowWriter(int length) {
        row = new byte[length];
    }

    /**
     * {@return the row}
     *
     * @param inChunks how many bytes of the value are in chunks; then {@code whole} is null
     */
    static byte[] encode(MessageRow message, int inChunks, byte @Nullable [] whole) {
        long millis = message.appendedAt().toEpochMilli();
        byte @Nullable [] key = message.key() == null ? null : utf8(message.key());
        List<byte[]> headers = headers(message);
        RowWriter writer = new RowWriter(length(message, key, headers, inChunks, whole));
        writer.number(MessageRow.FORMAT);
        writer.number(message.token());
        writer.number(millis);
        writer.bytes(WholeRow.STRING, key);
        writer.row[writer.at++] = WholeRow.NESTED;
        headers.forEach(text -> writer.bytes(WholeRow.STRING, text));
        writer.row[writer.at++] = WholeRow.NULL;
        writer.number(inChunks);
        writer.bytes(WholeRow.BYTES, whole);
        return writer.row;
    }

    /** {@return how many bytes the row has} */
    static int length(MessageRow message, int inChunks, byte @Nullable [] whole) {
        byte @Nullable [] key = message.key() == null ? null : utf8(message.key());
        return length(message, key, headers(message), inChunks, whole);
    }

    private static int length(
            MessageRow message, byte @Nullable [] key, List<byte[]> headers, int inChunks, byte @Nullable [] whole) {
        return length(MessageRow.FORMAT)
                + length(message.token())
                + length(message.appendedAt().toEpochMilli())
                + length(key)
                + 2 // around the headers
                + headers.stream().mapToInt(RowWriter::length).sum()
                + length(inChunks)
                + length(whole);
    }

    private static List<byte[]> headers(MessageRow message) {
        List<byte[]> headers = new ArrayList<>(2 * message.headers().size());
        for (Map.Entry<String, String> header : message.headers().entrySet()) {
            headers.add(utf8(header.getKey()));
            headers.add(utf8(header.getValue()));
        }
        return headers;
    }

    private static byte[] utf8(String text) {
        if (text.codePoints().anyMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)) {
            throw new IllegalArgumentException(
                    "A key or header of a message has a surrogate without its pair, which UTF-8 cannot encode.");
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static int length(long number) {
        return 1 + bytesOf(number);
    }

    private static int bytesOf(long number) {
        return (Long.SIZE - Long.numberOfLeadingZeros(number) + Byte.SIZE - 1) / Byte.SIZE;
    }

    private static int length(byte @Nullable [] bytes) {
        return bytes == null ? 1 : bytes.length + Zeros.count(bytes) + 2;
    }

    /** Numbers from 0 have their bytes behind a code that counts them. */
    private void number(long number) {
        int bytes = bytesOf(number);
        row[at++] = (byte) (WholeRow.ZERO + bytes);
        for (int shift = (bytes - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            row[at++] = (byte) (number >>> shift);
        }
    }

    private void bytes(byte code, byte @Nullable [] bytes) {
        if (bytes == null) {
            row[at++] = WholeRow.NULL;
            return;
        }
        row[at++] = code;
        int from = 0;
        for (int zero = Zeros.next(bytes, 0); zero < bytes.length; zero = Zeros.next(bytes, from)) {
            copy(bytes, from, zero + 1);
            row[at++] = WholeRow.ESCAPE;
            from = zero + 1;
        }
        copy(bytes, from, bytes.length);
        row[at++] = WholeRow.NULL;
    }

    private void copy(byte[] bytes, int from, int to) {
        System.arraycopy(bytes, from, row, at, to - from);
        at += to - from;
    }
}
