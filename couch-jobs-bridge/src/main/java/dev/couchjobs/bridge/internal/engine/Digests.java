package dev.couchjobs.bridge.internal.engine;

import dev.couchjobs.bridge.internal.Sha256;
import java.util.Base64;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Digests of documents, to tell whether CouchDB has what it is to have. Servers give fields back in another order, and
 * numbers in another form; that makes no difference here.
 */
final class Digests {
    private Digests() {}

    /** {@return a digest of what a document says, without CouchDB's own fields} */
    static String of(ObjectNode body) {
        StringBuilder text = new StringBuilder();
        for (String name : new TreeSet<>(body.propertyNames())) {
            if (!name.startsWith("_")) {
                text.append(name).append(':');
                write(body.path(name), text);
            }
        }
        return Base64.getEncoder().withoutPadding().encodeToString(Sha256.of(text.toString()));
    }

    private static void write(JsonNode value, StringBuilder text) {
        if (value instanceof ObjectNode object) {
            text.append('{');
            for (String name : new TreeSet<>(object.propertyNames())) {
                text.append(name).append(':');
                write(object.path(name), text);
            }
            text.append('}');
        } else if (value.isArray()) {
            text.append('[');
            value.forEach(element -> write(element, text));
            text.append(']');
        } else if (value.isNumber() && Double.isFinite(value.asDouble(Double.NaN))) {
            text.append(value.asDouble()).append(',');
        } else { // also a number that no double is as large as
            text.append(value).append(',');
        }
    }
}
