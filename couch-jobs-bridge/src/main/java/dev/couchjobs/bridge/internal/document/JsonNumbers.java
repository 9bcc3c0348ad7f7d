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

/** Numbers as they are on every server: one written in JavaScript gives 1 back for 1.0. */
final class JsonNumbers {
    /** Beyond this not every whole number is a double. */
    private static final double EXACT = 1L << 53;

    private JsonNumbers() {}

    /** {@return a copy in which numbers that are equal are the same} */
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

    /** {@return a number's value; infinite if there is no double that is as large} */
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

    /** As it is when it is parsed. */
    private static JsonNode whole(long number) {
        return number == (int) number ? IntNode.valueOf((int) number) : LongNode.valueOf(number);
    }
}
