package dev.couchjobs.bridge.internal.document;

import java.time.Duration;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.DoubleNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.LongNode;
import tools.jackson.databind.node.ObjectNode;

/** Numbers in a form that all servers keep: those in JavaScript return 1 for 1.0. */
final class JsonNumbers {
    /** Not every whole number above this is a double. */
    private static final double EXACT = 1L << 53;

    private JsonNumbers() {}

    /** {@return a copy in which equal numbers have the same form} */
    static JsonNode canonical(JsonNode value) {
        if (value.isObject()) {
            ObjectNode copy = JsonNodeFactory.instance.objectNode();
            for (Map.Entry<String, JsonNode> field : value.properties()) {
                copy.set(field.getKey(), canonical(field.getValue()));
            }
            return copy;
        }
        if (value.isArray()) {
            ArrayNode copy = JsonNodeFactory.instance.arrayNode();
            value.forEach(element -> copy.add(canonical(element)));
            return copy;
        }
        return value.isNumber() ? number(value) : value;
    }

    /** {@return the value of a number; infinite beyond the range of doubles} */
    static double value(JsonNode number) {
        return number.asDouble(
                number.isIntegralNumber() && number.bigIntegerValue().signum() < 0
                        ? Double.NEGATIVE_INFINITY
                        : Double.POSITIVE_INFINITY);
    }

    /** {@return a time in seconds} */
    static JsonNode seconds(Duration time) {
        return number(time.toMillis() / 1e3);
    }

    static JsonNode number(double number) {
        return number == Math.rint(number) && Math.abs(number) < EXACT
                ? whole((long) number)
                : DoubleNode.valueOf(number);
    }

    private static JsonNode number(JsonNode value) {
        if (value.isIntegralNumber()) {
            return value.canConvertToLong() ? whole(value.longValue()) : value;
        }
        return number(value(value));
    }

    /** A number as the parser creates it. */
    private static JsonNode whole(long number) {
        return number == (int) number ? IntNode.valueOf((int) number) : LongNode.valueOf(number);
    }
}
