package dev.couchjobs.loop;

import java.nio.charset.StandardCharsets;

/** What operators of a cluster find transactions by. */
public final class TransactionIdentifier {
    /** FoundationDB refuses more. */
    private static final int BYTES_MAX = 100;

    private TransactionIdentifier() {}

    /**
     * {@return the beginning of a text, as long as an identifier may be}
     *
     * @param text what the transaction is for; it may have a name from outside in it
     */
    public static String of(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length <= BYTES_MAX) {
            return text;
        }
        int end = BYTES_MAX;
        while ((utf8[end] & 0xC0) == 0x80) { // in the middle of a character
            end--;
        }
        return new String(utf8, 0, end, StandardCharsets.UTF_8);
    }
}
