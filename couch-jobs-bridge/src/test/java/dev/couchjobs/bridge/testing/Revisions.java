package dev.couchjobs.bridge.testing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Computes the names of revisions like Apache CouchDB (couch_db:new_revid): a hash of the preceding revision, of
 * whether it is a deletion, and of the content with its order of fields. The same edit of the same revision therefore
 * has the same name on every replica.
 */
final class Revisions {
    private Revisions() {}

    /** {@return the revision of a content, after another revision or as the first} */
    static String next(Optional<String> before, boolean isDeleted, ObjectNode body) {
        String hashed = before.orElse("0") + '\n' + isDeleted + '\n' + content(body);
        long generation = before.map(Revisions::generation).orElse(0L) + 1;
        return generation + "-" + HexFormat.of().formatHex(md5(hashed));
    }

    static long generation(String revision) {
        return Long.parseLong(revision.substring(0, revision.indexOf('-')));
    }

    /** {@return the document without its metadata: the fields with a leading underscore} */
    static ObjectNode content(ObjectNode document) {
        ObjectNode content = document.deepCopy();
        content.remove(document.propertyNames().stream()
                .filter(name -> name.startsWith("_"))
                .toList());
        return content;
    }

    private static byte[] md5(String text) {
        try {
            return MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("Every Java has MD5", e);
        }
    }
}
