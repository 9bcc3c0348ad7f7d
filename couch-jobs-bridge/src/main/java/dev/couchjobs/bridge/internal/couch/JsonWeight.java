package dev.couchjobs.bridge.internal.couch;

import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Estimates the size of written JSON. */
public final class JsonWeight {
    /** The size of a number or a literal, with its punctuation. */
    private static final int VALUE = 8;

    private JsonWeight() {}

    /**
     * {@return the approximate size of a value in bytes}
     *
     * @param value the value
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
