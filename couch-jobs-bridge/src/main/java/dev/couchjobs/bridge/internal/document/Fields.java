package dev.couchjobs.bridge.internal.document;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads the fields of an object. An invalid field is reported and then treated as absent. A null is absent. */
final class Fields {
    private final ObjectNode object;
    private final String path;
    private final ValidationErrors errors;

    Fields(ObjectNode object, String path, ValidationErrors errors) {
        this.object = object;
        this.path = path;
        this.errors = errors;
    }

    /** Reports fields with other names. In a document itself, names with a leading underscore are CouchDB's. */
    Fields only(Collection<String> names) {
        for (String name : object.propertyNames()) {
            if (!names.contains(name) && !(path.isEmpty() && name.startsWith("_"))) {
                fault(name, "there is no such field" + errors.hint(name, names));
            }
        }
        return this;
    }

    String path(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    void fault(String name, String what) {
        errors.add(path(name), what);
    }

    ValidationErrors errors() {
        return errors;
    }

    boolean has(String name) {
        return object.hasNonNull(name);
    }

    Optional<JsonNode> value(String name) {
        return has(name) ? object.optional(name) : Optional.empty();
    }

    /** {@return whether a field is present; reports an absent one} */
    boolean requires(String name, String what) {
        if (!has(name)) {
            fault(name, "is missing; " + what);
        }
        return has(name);
    }

    Optional<String> text(String name) {
        return value(name).flatMap(value -> text(name, value));
    }

    /** {@return a text that is not blank} */
    Optional<String> words(String name) {
        Optional<String> text = text(name);
        if (text.isPresent() && text.get().isBlank()) {
            fault(name, "is blank");
            return Optional.empty();
        }
        return text;
    }

    Optional<Boolean> bool(String name) {
        Optional<JsonNode> value = value(name);
        if (value.isPresent() && !value.get().isBoolean()) {
            illTyped(name, value.get(), "true or false");
            return Optional.empty();
        }
        return value.map(JsonNode::booleanValue);
    }

    OptionalInt integer(String name, int least) {
        Optional<JsonNode> value = value(name);
        if (value.isEmpty()) {
            return OptionalInt.empty();
        }
        // Servers in JavaScript do not distinguish 3 from 3.0.
        double number = number(name, value.get(), "a whole number");
        if (Double.isNaN(number)) {
            return OptionalInt.empty();
        }
        if (number != Math.rint(number) || number < least || number > Integer.MAX_VALUE) {
            fault(
                    name,
                    "is " + shown(value.get()) + "; it has to be a whole number from " + least + " to "
                            + Integer.MAX_VALUE);
            return OptionalInt.empty();
        }
        return OptionalInt.of((int) number);
    }

    /** {@return a number that is at least {@code least}} */
    Optional<Double> number(String name, double least) {
        Optional<JsonNode> value = value(name);
        if (value.isEmpty()) {
            return Optional.empty();
        }
        double number = number(name, value.get(), "a number");
        if (number < least || Double.isInfinite(number)) {
            fault(
                    name,
                    "is " + shown(value.get())
                            + (number < least ? "; it has to be at least " + plain(least) : ", which is too large"));
            return Optional.empty();
        }
        return Double.isNaN(number) ? Optional.empty() : Optional.of(number);
    }

    /** {@return a time in seconds, rounded to milliseconds} */
    Optional<Duration> seconds(String name) {
        Optional<Double> number = number(name, 0);
        if (number.isPresent() && number.get() > RetryStrategy.LONGEST.toSeconds()) {
            fault(name, "is more than a year, in seconds");
            return Optional.empty();
        }
        return number.map(seconds -> Duration.ofMillis(Math.round(seconds * 1000)));
    }

    Optional<Fields> object(String name) {
        Optional<JsonNode> value = value(name);
        if (value.isPresent() && !value.get().isObject()) {
            illTyped(name, value.get(), "an object");
            return Optional.empty();
        }
        return value.map(object -> new Fields((ObjectNode) object, path(name), errors));
    }

    /** {@return the texts of an object by name; none if the object is absent} */
    SortedMap<String, String> texts(String name) {
        SortedMap<String, String> texts = new TreeMap<>();
        object(name).ifPresent(fields -> {
            for (Map.Entry<String, JsonNode> entry : fields.object.properties()) {
                fields.text(entry.getKey(), entry.getValue()).ifPresent(text -> texts.put(entry.getKey(), text));
            }
        });
        return texts;
    }

    /** {@return the objects of an object by name} */
    SortedMap<String, Fields> objects() {
        SortedMap<String, Fields> objects = new TreeMap<>();
        for (String name : object.propertyNames()) {
            object(name).ifPresent(fields -> objects.put(name, fields));
        }
        return objects;
    }

    void illTyped(String name, JsonNode value, String expected) {
        fault(name, "is " + describe(value) + "; it has to be " + expected);
    }

    static String describe(JsonNode value) {
        return switch (value.getNodeType()) {
            case ARRAY -> "an array";
            case BOOLEAN -> "true or false";
            case NULL, MISSING -> "null";
            case NUMBER -> "a number";
            case OBJECT, POJO -> "an object";
            case STRING, BINARY -> "a text";
        };
    }

    private Optional<String> text(String name, JsonNode value) {
        if (!value.isString()) {
            illTyped(name, value, "a text");
            return Optional.empty();
        }
        String text = value.stringValue();
        if (DocumentLimits.bytes(text) > DocumentLimits.STRING_BYTES) {
            fault(name, "is longer than " + DocumentLimits.STRING_BYTES + " bytes");
            return Optional.empty();
        }
        return Optional.of(text);
    }

    private double number(String name, JsonNode value, String expected) {
        if (!value.isNumber()) {
            illTyped(name, value, expected);
            return Double.NaN;
        }
        return JsonNumbers.value(value);
    }

    private static String shown(JsonNode number) {
        return ValidationErrors.shorten(number.toString());
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }
}
