package dev.couchjobs.bridge.internal.document;

import dev.couchjobs.bridge.internal.Sha256;
import java.util.Base64;
import java.util.TreeSet;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Digests of documents, which show whether CouchDB has the intended content. Servers may return fields in another order
 * and numbers in another form; the digest is the same.
 */
public final class DocumentDigests {
    private static final JsonMapper VALUES = new JsonMapper(
            JsonFactory.builder().rootValueSeparator((String) null).build());

    private DocumentDigests() {}

    /** {@return a digest of a document without CouchDB's own fields} */
    public static String of(ObjectNode body) {
        return Base64.getEncoder().withoutPadding().encodeToString(Sha256.of(out -> {
            try (JsonGenerator text = VALUES.createGenerator(out)) {
                for (String name : new TreeSet<>(body.propertyNames())) {
                    if (!name.startsWith("_")) {
                        text.writeRaw(name).writeRaw(':');
                        write(body.path(name), text);
                    }
                }
            }
        }));
    }

    private static void write(JsonNode value, JsonGenerator text) {
        if (value instanceof ObjectNode object) {
            text.writeRaw('{');
            for (String name : new TreeSet<>(object.propertyNames())) {
                text.writeRaw(name).writeRaw(':');
                write(object.path(name), text);
            }
            text.writeRaw('}');
        } else if (value.isArray()) {
            text.writeRaw('[');
            value.forEach(element -> write(element, text));
            text.writeRaw(']');
        } else if (value.isNumber() && Double.isFinite(value.asDouble(Double.NaN))) {
            text.writeRaw(String.valueOf(value.asDouble())).writeRaw(',');
        } else { // also a number beyond the range of doubles
            VALUES.writeTree(text, value);
            text.writeRaw(',');
        }
    }
}
