package dev.couchjobs.bridge.testing;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/**
 * Where somebody is in the changes of a database.
 *
 * @param incarnation of the database: one that was dropped and made anew is another
 * @param shards how far he has read each of its shards
 */
record ModelPosition(String incarnation, List<Long> shards) {
    ModelPosition {
        shards = List.copyOf(shards);
        if (shards.isEmpty()) {
            throw new IllegalArgumentException("A database has shards");
        }
    }

    static ModelPosition beginning(String incarnation, int shards) {
        return new ModelPosition(incarnation, Collections.nCopies(shards, 0L));
    }

    /** {@return this, as it is handed to those who are to take it for opaque} */
    JsonNode toJson() {
        long total = shards.stream().mapToLong(Long::longValue).sum();
        String all = shards.stream().map(String::valueOf).collect(Collectors.joining("."));
        return StringNode.valueOf(total + "-" + incarnation + "." + all);
    }

    /** @throws IllegalArgumentException if it was not made by {@link #toJson} */
    static ModelPosition of(JsonNode json) {
        try {
            String text = json.asString();
            List<String> parts =
                    Arrays.asList(text.substring(text.indexOf('-') + 1).split("\\."));
            List<Long> shards =
                    parts.subList(1, parts.size()).stream().map(Long::valueOf).toList();
            return new ModelPosition(parts.get(0), shards);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("No database has given this position: " + json, e);
        }
    }
}
