package dev.couchjobs.bridge.internal.document;

import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** How large and how deep JSON is. */
final class Sizes {
    /** What a number, a word or the punctuation around a value takes, about. */
    private static final int VALUE_BYTES = 6;

    private Sizes() {}

    /** Notes it if a document is too deep, or if what a person wrote in it is too large. */
    static void check(ObjectNode document, Faults faults) {
        if (depth(document) > Limits.DEPTH) {
            faults.add("", "the document has more than " + Limits.DEPTH + " objects and arrays within each other");
        } else if (planBytes(document) > Limits.PLAN_BYTES) {
            faults.add("", "the document is larger than " + Limits.PLAN_BYTES + " bytes");
        }
    }

    private static int depth(JsonNode value) {
        int deepest = 0;
        for (JsonNode element : value) {
            deepest = Math.max(deepest, depth(element));
        }
        return value.isContainer() ? deepest + 1 : 0;
    }

    private static long planBytes(ObjectNode document) {
        long bytes = 0;
        for (Map.Entry<String, JsonNode> field : document.properties()) {
            if (field.getKey().equals("job")) {
                for (JsonNode step : field.getValue()) {
                    bytes += stepBytes(step);
                }
            } else if (!field.getKey().startsWith("_")) {
                bytes += bytes(field.getKey(), field.getValue());
            }
        }
        return bytes;
    }

    private static long stepBytes(JsonNode step) {
        long bytes = 0;
        for (Map.Entry<String, JsonNode> field : step.properties()) {
            boolean isState =
                    FieldNames.THESIS_STATE.contains(field.getKey()) || FieldNames.OUR_STATE.contains(field.getKey());
            bytes += isState ? 0 : bytes(field.getKey(), field.getValue());
        }
        return bytes;
    }

    private static long bytes(String name, JsonNode value) {
        return Limits.bytes(name) + VALUE_BYTES + bytes(value);
    }

    private static long bytes(JsonNode value) {
        long bytes = VALUE_BYTES;
        if (value.isString()) {
            bytes += Limits.bytes(value.stringValue());
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
