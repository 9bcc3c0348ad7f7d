package dev.couchjobs.server.internal.openapi;

import com.networknt.schema.Schema;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** A parameter of an operation, and how its text is read. */
record Parameter(String name, String in, boolean isRequired, String jsonType, Supplier<Schema> schema) {

    /** {@return the text as the type that the schema wants, or as a string if it is none} */
    JsonNode parse(String text) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        try {
            return switch (jsonType) {
                case "integer" -> json.numberNode(Long.parseLong(text));
                case "boolean" ->
                    switch (text) {
                        case "true", "" -> json.booleanNode(true);
                        case "false" -> json.booleanNode(false);
                        default -> json.stringNode(text);
                    };
                default -> json.stringNode(text);
            };
        } catch (NumberFormatException e) {
            return json.stringNode(text);
        }
    }
}
