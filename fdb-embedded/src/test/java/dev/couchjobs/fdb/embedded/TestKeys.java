package dev.couchjobs.fdb.embedded;

import dev.couchjobs.fdb.testing.Samples;
import java.nio.charset.StandardCharsets;

/** Keys for tests: readable ones, and a small dense set of them in which random ones meet. */
public final class TestKeys {
    private TestKeys() {}

    public static byte[] key(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }

    /** Up to three of the letters a to d, the empty key among them. */
    public static String name(Samples samples) {
        return samples.text(3, "abcd");
    }
}
