package dev.couchjobs.server.internal.access;

import dev.couchjobs.server.internal.http.Digests;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a caller sends: {@code cj_}, the id of the token, {@code _}, and 256 random bits. The beginning lets scanners
 * find tokens in published files.
 *
 * <p>Stored is the SHA-256 of the random part. A slow hash makes it expensive to try the passwords that people choose;
 * 256 random bits cannot be tried in any time, and each request needs the hash.
 */
record Secret(String id, String random) {
    private static final Pattern FORM = Pattern.compile("cj_([0-9a-f]{16})_([0-9a-f]{64})");
    private static final Pattern ID = Pattern.compile("[0-9a-f]{16}");
    private static final int ID_BYTES = 8;
    private static final int RANDOM_BYTES = 32;

    static Secret create() {
        return ofToken(ServerEnvironment.randomHex(ID_BYTES));
    }

    /** {@return a new secret of a token that is there} */
    static Secret ofToken(String id) {
        return new Secret(id, ServerEnvironment.randomHex(RANDOM_BYTES));
    }

    static Optional<Secret> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches() ? Optional.of(new Secret(matcher.group(1), matcher.group(2))) : Optional.empty();
    }

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    String text() {
        return "cj_" + id + "_" + random;
    }

    byte[] digest() {
        return Digests.sha256(random.getBytes(StandardCharsets.US_ASCII));
    }

    /** The secret stays out of logs. */
    @Override
    public String toString() {
        return "cj_" + id + "_...";
    }
}
