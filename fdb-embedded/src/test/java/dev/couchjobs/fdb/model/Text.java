package dev.couchjobs.fdb.model;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/** Bytes as strings of one-byte characters, which compare as the bytes do. */
final class Text {

    private Text() {}

    static String of(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }
}
