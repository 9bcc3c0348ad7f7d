package dev.couchjobs.server.internal.http;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Where the server gets random numbers: tokens and ids that no caller can guess. */
public final class ServerRandom {
    private static final SecureRandom RANDOM = new SecureRandom();

    private ServerRandom() {}

    /** {@return random bytes, in hexadecimal} */
    public static String hex(int bytes) {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
