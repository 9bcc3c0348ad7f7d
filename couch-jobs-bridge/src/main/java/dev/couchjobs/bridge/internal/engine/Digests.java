package dev.couchjobs.bridge.internal.engine;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import tools.jackson.databind.node.ObjectNode;

/** Digests of documents, to tell whether CouchDB has what it is to have. */
final class Digests {
    private Digests() {}

    /** {@return a digest of a document without its revision} */
    static String of(ObjectNode body) {
        ObjectNode content = body.deepCopy();
        content.remove("_rev");
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(content.toString().getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256.", e);
        }
    }
}
