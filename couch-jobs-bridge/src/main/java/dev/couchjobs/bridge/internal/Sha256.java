package dev.couchjobs.bridge.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Computes digests of texts. */
public final class Sha256 {
    private Sha256() {}

    /** A text that is not in memory as a whole. */
    public interface Text {
        /**
         * Writes the text.
         *
         * @param out the destination; may be closed
         * @throws IOException if the destination fails
         */
        void writeTo(Writer out) throws IOException;
    }

    /**
     * {@return the digest of a text in UTF-8}
     *
     * @param text any text
     */
    public static byte[] of(String text) {
        return digest().digest(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * {@return the digest of a text in UTF-8}
     *
     * @param text any text, however long
     */
    public static byte[] of(Text text) {
        MessageDigest digest = digest();
        try (Writer out = new OutputStreamWriter(
                new DigestOutputStream(OutputStream.nullOutputStream(), digest), StandardCharsets.UTF_8)) {
            text.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return digest.digest();
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256.", e);
        }
    }
}
