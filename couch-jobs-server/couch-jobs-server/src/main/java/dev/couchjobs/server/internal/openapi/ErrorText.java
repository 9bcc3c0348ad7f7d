package dev.couchjobs.server.internal.openapi;

import com.networknt.schema.Error;
import java.util.List;
import java.util.Optional;

/** Says in plain words why a schema refuses a value. */
final class ErrorText {
    private ErrorText() {}

    /**
     * {@return a sentence without its subject and its full stop}
     *
     * @param example a value that the schema takes
     * @param alternatives the fields of which the schema takes one, or several together
     */
    static String of(Error error, Optional<String> example, List<String> alternatives) {
        return switch (error.getKeyword()) {
            case "required" -> "is missing";
            case "type" -> "has to be " + kind(argument(error, 1)) + ", and is " + kind(argument(error, 0));
            case "minimum" -> "has to be " + argument(error, 0) + " or more";
            case "maximum" -> "has to be " + argument(error, 0) + " or less";
            case "exclusiveMinimum" -> "has to be more than " + argument(error, 0);
            case "exclusiveMaximum" -> "has to be less than " + argument(error, 0);
            case "minLength" -> "has to have " + argument(error, 0) + " or more characters";
            case "maxLength" -> "has to have " + argument(error, 0) + " or fewer characters";
            case "minItems" -> "has to have " + argument(error, 0) + " or more items";
            case "maxItems" -> "has to have " + argument(error, 0) + " or fewer items";
            case "enum" -> "has to be one of " + argument(error, 0).replaceAll("[\\[\\]\"]", "");
            case "pattern", "format" ->
                example.map(value -> "has to look like " + value).orElseGet(() -> "has to match " + argument(error, 0));
            case "not" -> "has to be anything but null"; // no schema of the document excludes anything else
            case "oneOf" -> "has to have exactly one of these: " + String.join(", ", alternatives);
            default -> error.getMessage();
        };
    }

    private static String kind(String type) {
        return switch (type) {
            case "object", "array", "integer" -> "an " + type;
            case "string", "number", "boolean" -> "a " + type;
            default -> type;
        };
    }

    private static String argument(Error error, int index) {
        Object[] arguments = error.getArguments();
        return index < arguments.length ? String.valueOf(arguments[index]) : "something else";
    }
}
