package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.internal.document.NameSuggestion;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A table of the file while it is read. An invalid value is reported and then treated as absent, so that all mistakes
 * are reported at once. Each requested key is a known one; at the end all others are mistakes.
 */
final class ConfigSection {
    private final String path;
    private final ObjectNode table;
    private final List<String> mistakes;
    private final Set<String> known = new TreeSet<>();

    ConfigSection(String path, ObjectNode table, List<String> mistakes) {
        this.path = path;
        this.table = table;
        this.mistakes = mistakes;
    }

    boolean has(String key) {
        return table.has(key);
    }

    Optional<String> text(String key) {
        return value(
                        key,
                        "a text in quotes",
                        node -> node.isString() && !node.stringValue().isBlank())
                .map(JsonNode::stringValue);
    }

    String required(String key) {
        if (!table.has(key)) {
            known.add(key);
            mistake(key, "is missing");
        }
        return text(key).orElse("");
    }

    boolean flag(String key, boolean otherwise) {
        return value(key, "true or false", JsonNode::isBoolean)
                .map(JsonNode::booleanValue)
                .orElse(otherwise);
    }

    int number(String key, int least, int otherwise) {
        return value(
                        key,
                        "a whole number of at least " + least,
                        node -> node.canConvertToInt() && node.intValue() >= least)
                .map(JsonNode::intValue)
                .orElse(otherwise);
    }

    /** {@return a number of bytes; empty if it is absent or no positive number} */
    OptionalLong bytes(String key) {
        return value(
                        key,
                        "a number of bytes",
                        node -> node.isIntegralNumber() && node.canConvertToLong() && node.longValue() > 0)
                .map(node -> OptionalLong.of(node.longValue()))
                .orElseGet(OptionalLong::empty);
    }

    Optional<Duration> duration(String key) {
        return text(key).flatMap(text -> {
            Optional<Duration> duration = ConfigDuration.parse(text);
            if (duration.isEmpty()) {
                mistake(key, "'" + text + "' is not a time; write \"30s\", \"5m\", \"2h\" or \"PT30S\"");
            }
            return duration;
        });
    }

    Optional<List<String>> texts(String key) {
        return value(key, "a list of texts, such as [\"a\", \"b\"]", ConfigSection::isTexts)
                .map(array -> array.valueStream().map(JsonNode::stringValue).toList());
    }

    Optional<URI> url(String key) {
        return text(key).flatMap(text -> {
            try {
                URI url = new URI(text);
                if (("http".equals(url.getScheme()) || "https".equals(url.getScheme())) && url.getHost() != null) {
                    return Optional.of(url);
                }
            } catch (URISyntaxException e) {
                // The value is reported below, like any invalid one.
            }
            mistake(key, "is not the http or https URL of a database");
            return Optional.empty();
        });
    }

    /** {@return a table; an empty one if it is absent} */
    ConfigSection section(String key) {
        ObjectNode inner = value(key, "a table", JsonNode::isObject)
                .map(ObjectNode.class::cast)
                .orElseGet(JsonNodeFactory.instance::objectNode);
        return new ConfigSection(name(key), inner, mistakes);
    }

    /** {@return the keys} All of them are known, because the file defines their meaning. */
    List<String> names() {
        List<String> names = new ArrayList<>(table.propertyNames());
        known.addAll(names);
        return names;
    }

    <T> Optional<T> parsed(String key, Function<String, T> parser) {
        return text(key).flatMap(text -> {
            try {
                return Optional.of(parser.apply(text));
            } catch (IllegalArgumentException e) {
                mistake(key, String.valueOf(e.getMessage()));
                return Optional.empty();
            }
        });
    }

    void mistake(String key, String what) {
        mistakes.add(name(key) + ": " + what);
    }

    /** Reports the keys that no caller has requested. */
    void end() {
        table.propertyNames().stream()
                .filter(key -> !known.contains(key))
                .forEach(key -> mistake(key, "there is no such key" + NameSuggestion.hint(key, known)));
    }

    private Optional<JsonNode> value(String key, String kind, Predicate<JsonNode> isValid) {
        known.add(key);
        Optional<JsonNode> value = table.optional(key);
        if (value.isPresent() && !isValid.test(value.get())) {
            mistake(key, "has to be " + kind);
            return Optional.empty();
        }
        return value;
    }

    private static boolean isTexts(JsonNode node) {
        return node.isArray() && node.valueStream().allMatch(element -> element.isString());
    }

    private String name(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
