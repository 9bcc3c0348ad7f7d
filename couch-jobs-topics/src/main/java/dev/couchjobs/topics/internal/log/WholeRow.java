package dev.couchjobs.topics.internal.log;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the row of a message that needs no chunks. A tuple makes an object of each element and looks through all of
 * them for a versionstamp; this is several times as fast. Codes: the tuple layer's specification.
 */
final class WholeRow {
    static final byte NULL = 0x00;
    static final byte BYTES = 0x01;
    static final byte STRING = 0x02;
    static final byte NESTED = 0x05;
    static final byte ZERO = 0x14;
    static final byte ESCAPE = (byte) 0xFF;
    private static final int LONG_BYTES = 8;
    /** Stands in a text for bytes that cannot be decoded. */
    private static final char REPLACEMENT = '\uFFFD';

    private final byte[] row;
    private int at;

    private WholeRow(byte[] row) {
        this.row = row;
    }

    /** {@return the message; null if the row has another form, which a tuple may understand} */
    static @Nullable MessageRow decode(byte[] row) {
        try {
            return new WholeRow(row).decode();
        } catch (OtherFormException | ArrayIndexOutOfBoundsException e) {
            return null;
        }
    }

    private static final class OtherFormException extends RuntimeException {
        private static final long serialVersionUID = 1;

        OtherFormException() {
            super("another form", null, false, false);
        }
    }

    private MessageRow decode() {
        require(number() == MessageRow.FORMAT);
        long token = number();
        Instant appendedAt = Instant.ofEpochMilli(number());
        String key = key();
        Map<String, String> headers = headers();
        require(number() == 0);
        require(row[at++] == BYTES);
        byte[] value = escaped();
        require(at == row.length);
        return new MessageRow(token, appendedAt, key, headers, value);
    }

    private @Nullable String key() {
        if (row[at] != NULL) {
            return text();
        }
        at++;
        return null;
    }

    /** Numbers below 0 have another form. */
    private long number() {
        int length = row[at++] - ZERO;
        require(length >= 0 && length <= LONG_BYTES);
        long number = 0;
        for (int i = 0; i < length; i++) {
            number = (number << Byte.SIZE) | (row[at++] & 0xFF);
        }
        require(number >= 0);
        return number;
    }

    private Map<String, String> headers() {
        require(row[at++] == NESTED);
        if (row[at] == NULL && row[at + 1] != ESCAPE) {
            at++;
            return Map.of();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        while (row[at] != NULL) {
            String name = text();
            headers.put(name, text());
        }
        require(row[at + 1] != ESCAPE);
        at++;
        return headers;
    }

    private String text() {
        require(row[at++] == STRING);
        String text = new String(escaped(), StandardCharsets.UTF_8);
        require(text.indexOf(REPLACEMENT) < 0); // a tuple refuses bytes that are no UTF-8
        return text;
    }

    /** The bytes up to a zero; a zero among them has the escape behind it. */
    private byte[] escaped() {
        int begin = at;
        int escapes = 0;
        int end = Zeros.next(row, begin);
        for (; isEscaped(end); end = Zeros.next(row, end + 2)) {
            escapes++;
        }
        require(end < row.length);
        at = end + 1;
        return escapes == 0 ? Arrays.copyOfRange(row, begin, end) : unescaped(begin, end, escapes);
    }

    private boolean isEscaped(int zero) {
        return zero + 1 < row.length && row[zero + 1] == ESCAPE;
    }

    private byte[] unescaped(int begin, int end, int escapes) {
        byte[] bytes = new byte[end - begin - escapes];
        int to = 0;
        int from = begin;
        while (from < end) {
            int next = Math.min(end, Zeros.next(row, from) + 1);
            System.arraycopy(row, from, bytes, to, next - from);
            to += next - from;
            from = next + 1; // behind the escape
        }
        return bytes;
    }

    private static void require(boolean isUsual) {
        if (!isUsual) {
            throw new OtherFormException();
        }
    }
}
