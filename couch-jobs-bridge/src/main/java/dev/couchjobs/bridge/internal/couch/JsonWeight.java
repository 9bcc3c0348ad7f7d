package dev.couchjobs.bridge.internal.couch;

import java.util.Map;
import tools.jackson.databind.JsonNode;

/** About how many bytes JSON takes when it is written. */
public final class JsonWeight {
    /** Of a number or a word, with the punctuation around it. */
    private static final int VALUE = 8;

    private JsonWeight() {}

    /**
     * {@return about how many bytes a value takes}
     *
     * @param value any value
     */
    public static long of(JsonNode value) {
        long bytes = VALUE;
        if (value.isString()) {
            return bytes + value.stringValue().length();
        }
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            bytes += field.getKey().length() + of(field.getValue());
        }
        if (value.isArray()) {
            for (JsonNode element : value) {
                bytes += of(element);
            }
        }
        return bytes;
    }
}
