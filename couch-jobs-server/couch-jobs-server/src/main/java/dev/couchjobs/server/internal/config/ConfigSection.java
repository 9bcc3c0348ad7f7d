package dev.couchjobs.server.internal.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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
    private final Path directory;
    private final List<String> mistakes;
    private final Set<String> known = new TreeSet<>();

    /**
     * @param directory where relative paths start
     */
    ConfigSection(String path, ObjectNode table, Path directory, List<String> mistakes) {
        this.path = path;
        this.table = table;
        this.directory = directory;
        this.mistakes = mistakes;
    }

    Optional<String> text(String key) {
        return value(
                        key,
                        "a text in quotes",
                        node -> node.isString() && !node.stringValue().isBlank())
                .map(JsonNode::stringValue);
    }

    Optional<Path> file(String key) {
        return text(key).map(text -> directory.resolve(text).normalize());
    }

    Optional<Boolean> flag(String key) {
        return value(key, "true or false", JsonNode::isBoolean).map(JsonNode::booleanValue);
    }

    Optional<Integer> number(String key, int least, int most) {
        return value(
                        key,
                        "a whole number from " + least + " to " + most,
                        node -> node.isIntegralNumber()
                                && node.canConvertToInt()
                                && node.intValue() >= least
                                && node.intValue() <= most)
                .map(JsonNode::intValue);
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

    List<String> texts(String key) {
        return value(key, "a list of texts, such as [\"a\", \"b\"]", ConfigSection::isTexts)
                .map(array -> array.valueStream().map(JsonNode::stringValue).toList())
                .orElse(List.of());
    }

    /** {@return a table; an empty one if it is absent} */
    ConfigSection section(String key) {
        ObjectNode inner = value(key, "a table", JsonNode::isObject)
                .map(ObjectNode.class::cast)
                .orElseGet(JsonNodeFactory.instance::objectNode);
        return new ConfigSection(name(key), inner, directory, mistakes);
    }

    void mistake(String key, String what) {
        mistakes.add(name(key) + ": " + what);
    }

    /** Reports the keys that no caller has requested. */
    void end() {
        table.propertyNames().stream()
                .filter(key -> !known.contains(key))
                .forEach(key -> mistake(key, "there is no such key" + NearestName.hint(key, known)));
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
