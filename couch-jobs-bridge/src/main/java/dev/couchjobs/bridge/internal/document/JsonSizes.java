package dev.couchjobs.bridge.internal.document;

import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Measures the size and depth of JSON. */
final class JsonSizes {
    /** The approximate size of a number, a literal, or the punctuation around a value. */
    private static final int VALUE_BYTES = 6;

    private JsonSizes() {}

    /** Reports a document that is too deep, or in which people have written too much. */
    static void check(ObjectNode document, ValidationErrors errors) {
        if (isDeeper(document, DocumentLimits.DEPTH)) {
            errors.add("", "the document has more than " + DocumentLimits.DEPTH + " nested objects and arrays");
        } else if (planBytes(document) > DocumentLimits.PLAN_BYTES) {
            errors.add("", "the document is larger than " + DocumentLimits.PLAN_BYTES + " bytes");
        }
    }

    /** Whether a value is deeper than the limit. It does not look further down. */
    private static boolean isDeeper(JsonNode value, int most) {
        if (!value.isContainer()) {
            return false;
        }
        return most == 0 || value.valueStream().anyMatch(element -> isDeeper(element, most - 1));
    }

    private static long planBytes(ObjectNode document) {
        long bytes = 0;
        for (String name : FieldNames.PLAN) {
            bytes += bytes(name, document.path(name));
        }
        for (JsonNode step : document.path("job")) {
            for (String name : FieldNames.STEP_PLAN) {
                bytes += bytes(name, step.path(name));
            }
        }
        return bytes;
    }

    private static long bytes(String name, JsonNode value) {
        return value.isMissingNode() ? 0 : DocumentLimits.bytes(name) + VALUE_BYTES + bytes(value);
    }

    private static long bytes(JsonNode value) {
        long bytes = VALUE_BYTES;
        if (value.isString()) {
            bytes += DocumentLimits.bytes(value.stringValue());
        } else if (value.isNumber()) {
            bytes += value.asString().length();
        } else if (value.isObject()) {
            for (Map.Entry<String, JsonNode> field : value.properties()) {
                bytes += bytes(field.getKey(), field.getValue());
            }
        } else {
            for (JsonNode element : value) {
                bytes += bytes(element);
            }
        }
        return bytes;
    }
}
