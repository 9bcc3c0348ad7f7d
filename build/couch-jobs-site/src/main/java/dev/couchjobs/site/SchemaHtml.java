package dev.couchjobs.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** A JSON schema in words. Schemas that have a name are links to the place that describes them. */
final class SchemaHtml {
    private static final String NAMED = "#/components/schemas/";
    private static final List<String> LIMITS = List.of(
            "const",
            "default",
            "format",
            "pattern",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "minItems",
            "maxItems");

    private SchemaHtml() {}

    /** {@return what values are, in a line} */
    static String of(JsonNode schema) {
        String named = schema.path("$ref").asString("");
        List<String> words = new ArrayList<>();
        if (named.startsWith(NAMED)) {
            String name = named.substring(NAMED.length());
            words.add(Html.link("#schema-" + name, name));
        }
        if (schema.path("type").isString()) {
            words.add(Html.escaped(schema.path("type").asString()));
        } else if (schema.path("type").isArray()) {
            words.add(joined(schema.path("type"), " or ", type -> Html.escaped(type.asString())));
        }
        if (schema.has("items")) {
            words.add("of " + of(schema.path("items")));
        }
        if (schema.path("additionalProperties").isObject()) {
            words.add("of values that are " + of(schema.path("additionalProperties")));
        }
        if (schema.has("enum")) {
            words.add("one of " + joined(schema.path("enum"), ", ", SchemaHtml::value));
        }
        addAlternatives(words, schema, "oneOf", " or ");
        addAlternatives(words, schema, "anyOf", " or ");
        addAlternatives(words, schema, "allOf", " and ");
        if (schema.has("not")) {
            words.add("but not " + of(schema.path("not")));
        }
        List<String> limits = LIMITS.stream()
                .filter(schema::has)
                .map(limit -> Html.escaped(limit) + " " + value(schema.path(limit)))
                .toList();
        if (!limits.isEmpty()) {
            words.add("(" + String.join(", ", limits) + ")");
        }
        if (schema.has("required") && !schema.has("properties")) {
            words.add("with " + joined(schema.path("required"), ", ", SchemaHtml::value));
        }
        if (schema.has("description")) {
            words.add("– " + Html.escaped(schema.path("description").asString()));
        }
        return String.join(" ", words);
    }

    /** {@return the properties of an object, or of the objects in a list or a map, as a list; else nothing} */
    static String properties(JsonNode schema) {
        StringBuilder html = new StringBuilder();
        Set<String> required =
                schema.path("required").valueStream().map(JsonNode::asString).collect(Collectors.toSet());
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            html.append("<li>")
                    .append(Html.code(property.getKey()))
                    .append(required.contains(property.getKey()) ? ", required: " : ": ")
                    .append(of(property.getValue()))
                    .append(properties(property.getValue()))
                    .append("</li>\n");
        }
        if (!html.isEmpty()) {
            html.insert(0, "<ul>\n").append("</ul>\n");
        }
        if (schema.has("items")) {
            html.append(properties(schema.path("items")));
        }
        if (schema.path("additionalProperties").isObject()) {
            html.append(properties(schema.path("additionalProperties")));
        }
        for (String alternatives : List.of("oneOf", "anyOf", "allOf")) {
            schema.path(alternatives).forEach(each -> html.append(properties(each)));
        }
        return html.toString();
    }

    private static void addAlternatives(List<String> words, JsonNode schema, String keyword, String between) {
        if (schema.has(keyword)) {
            words.add(joined(schema.path(keyword), between, SchemaHtml::of));
        }
    }

    private static String joined(JsonNode nodes, String between, Function<JsonNode, String> toHtml) {
        return nodes.valueStream().map(toHtml).collect(Collectors.joining(between));
    }

    private static String value(JsonNode node) {
        return Html.code(node.isString() ? node.asString() : node.toString());
    }
}
