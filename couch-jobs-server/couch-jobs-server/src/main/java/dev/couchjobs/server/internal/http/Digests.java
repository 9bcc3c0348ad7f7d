package dev.couchjobs.server.internal.http;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Digests by SHA-256. */
public final class Digests {
    private static final int TAG_BYTES = 16;

    private Digests() {}

    public static byte[] sha256(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }

    /** {@return the first bytes of the digest, in hexadecimal} */
    public static String sha256Hex(byte[] content, int bytes) {
        return HexFormat.of().formatHex(sha256(content), 0, bytes);
    }

    /** {@return the entity tag of a body} */
    public static String entityTag(byte[] body) {
        return '"' + sha256Hex(body, TAG_BYTES) + '"';
    }
}
