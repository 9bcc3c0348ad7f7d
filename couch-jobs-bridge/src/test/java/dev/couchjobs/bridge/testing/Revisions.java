package dev.couchjobs.bridge.testing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Names revisions as Apache CouchDB does (couch_db:new_revid): by a hash of the revision before, of whether it is a
 * deletion, and of the content, in which the order of the fields counts. So the same edit of the same revision has the
 * same name wherever it is made.
 */
final class Revisions {
    private Revisions() {}

    /** {@return the revision that a content becomes after another, or as the first} */
    static String next(Optional<String> before, boolean isDeleted, ObjectNode body) {
        String hashed = before.orElse("0") + '\n' + isDeleted + '\n' + content(body);
        long generation = before.map(Revisions::generation).orElse(0L) + 1;
        return generation + "-" + HexFormat.of().formatHex(md5(hashed));
    }

    static long generation(String revision) {
        return Long.parseLong(revision.substring(0, revision.indexOf('-')));
    }

    /** {@return the document without what is said about it: the fields whose names begin with an underscore} */
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
