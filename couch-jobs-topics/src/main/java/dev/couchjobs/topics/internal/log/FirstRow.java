package dev.couchjobs.topics.internal.log;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The first row of a message, which RFC 035 describes. Its value stands as it is at the end: a tuple would escape its
 * zeros, and a reader that catches up would spend most of its time to look for them.
 *
 * @param message without its value if that is in chunks
 * @param bytesInChunks how many bytes of the value follow in rows of their own
 */
record FirstRow(MessageRow message, int bytesInChunks) {
    static final byte FORMAT = 2;
    private static final byte WHOLE = 0;
    private static final byte DELETION = 1;
    private static final byte IN_CHUNKS = 2;
    private static final short NONE = -1;
    /** Stands in a text for bytes that cannot be decoded. */
    private static final char REPLACEMENT = '\uFFFD';

    /** {@return the row of a message, without its value if that goes into chunks} */
    static byte[] encode(MessageRow message, boolean isInChunks) {
        byte[] value = message.value();
        byte[] key = message.key() == null ? null : utf8(message.key());
        List<byte[]> headers = headerTexts(message.headers());
        ByteBuffer row = ByteBuffer.allocate(1
                + 2 * Long.BYTES
                + length(key)
                + Short.BYTES
                + headers.stream().mapToInt(FirstRow::length).sum()
                + 1
                + (value == null ? 0 : isInChunks ? Integer.BYTES : value.length));
        row.put(FORMAT);
        row.putLong(message.token());
        row.putLong(message.appendedAt().toEpochMilli());
        put(row, key);
        row.putShort((short) message.headers().size());
        headers.forEach(text -> put(row, text));
        if (value == null) {
            row.put(DELETION);
        } else if (isInChunks) {
            row.put(IN_CHUNKS).putInt(value.length);
        } else {
            row.put(WHOLE).put(value);
        }
        return row.array();
    }

    private static List<byte[]> headerTexts(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return List.of();
        }
        List<byte[]> texts = new ArrayList<>(2 * headers.size());
        headers.forEach((name, text) -> {
            texts.add(utf8(name));
            texts.add(utf8(text));
        });
        return texts;
    }

    private static byte[] utf8(String text) {
        if (text.codePoints().anyMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)) {
            throw new IllegalArgumentException(
                    "A key or header of a message has a surrogate without its pair, which UTF-8 cannot encode.");
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static int length(byte @Nullable [] text) {
        return Short.BYTES + (text == null ? 0 : text.length);
    }

    private static void put(ByteBuffer row, byte @Nullable [] text) {
        if (text == null) {
            row.putShort(NONE);
        } else {
            row.putShort((short) text.length).put(text);
        }
    }

    /** Fails with an {@link IllegalArgumentException} if the row is damaged, or of another version. */
    static FirstRow decode(byte[] bytes) {
        ByteBuffer row = ByteBuffer.wrap(bytes);
        try {
            byte format = row.get();
            if (format == TupleRow.CODE) {
                return TupleRow.decode(bytes);
            }
            if (format != FORMAT) {
                throw new IllegalArgumentException("written by another version, in format " + format);
            }
            long token = row.getLong();
            Instant appendedAt = Instant.ofEpochMilli(row.getLong());
            String key = text(row);
            Map<String, String> headers = headers(row);
            byte form = row.get();
            int bytesInChunks = form == IN_CHUNKS ? row.getInt() : 0;
            byte[] value = form == WHOLE ? Arrays.copyOfRange(bytes, row.position(), bytes.length) : null;
            if (form < WHOLE || form > IN_CHUNKS || (form != WHOLE && row.hasRemaining()) || bytesInChunks < 0) {
                throw new IllegalArgumentException("its value is damaged");
            }
            return new FirstRow(new MessageRow(token, appendedAt, key, headers, value), bytesInChunks);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("its row is not complete", e);
        }
    }

    private static Map<String, String> headers(ByteBuffer row) {
        int count = row.getShort();
        if (count == 0) {
            return Map.of();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            String name = text(row);
            String text = text(row);
            if (name == null || text == null) {
                throw new IllegalArgumentException("its headers are damaged");
            }
            headers.put(name, text);
        }
        return headers;
    }

    private static @Nullable String text(ByteBuffer row) {
        int length = row.getShort();
        if (length == NONE) {
            return null;
        }
        if (length < NONE || length > row.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        row.get(bytes);
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0 && !Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8))) {
            throw new IllegalArgumentException("its key or a header is no UTF-8");
        }
        return text;
    }
}
