package dev.couchjobs.server.internal.http;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Decodes text of a URL. Only text in UTF-8 can be encoded, and in one way (RFC 3629): Java's decoder replaces what is
 * no text by a character, so that two ids would become one.
 */
public final class UrlText {
    private static final int HEXADECIMAL = 16;

    private UrlText() {}

    /**
     * {@return a part of a path, decoded}
     *
     * @throws IllegalArgumentException if it is not encoded as it should be
     */
    public static String ofPath(String encoded) {
        return decode(encoded, '+');
    }

    /**
     * {@return a name or a value of a query, decoded} A plus stands for a space, as forms have it.
     *
     * @throws IllegalArgumentException if it is not encoded as it should be
     */
    public static String ofQuery(String encoded) {
        return decode(encoded, ' ');
    }

    private static String decode(String encoded, char plus) {
        if (encoded.indexOf('\uFFFD') >= 0) {
            throw new IllegalArgumentException("It has bytes that are not UTF-8, or U+FFFD, which has to be encoded.");
        }
        try {
            ByteBuffer given = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(encoded));
            ByteBuffer decoded = ByteBuffer.allocate(given.remaining());
            while (given.hasRemaining()) {
                byte next = given.get();
                decoded.put(
                        switch (next) {
                            case '%' -> (byte) (HEXADECIMAL * digit(given) + digit(given));
                            case '+' -> (byte) plus;
                            default -> next;
                        });
            }
            return StandardCharsets.UTF_8.newDecoder().decode(decoded.flip()).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("What is encoded is not UTF-8.", e);
        }
    }

    private static int digit(ByteBuffer encoded) {
        int digit = encoded.hasRemaining() ? Character.digit((char) encoded.get(), HEXADECIMAL) : -1;
        if (digit < 0) {
            throw new IllegalArgumentException("Two hexadecimal digits follow each %.");
        }
        return digit;
    }
}
