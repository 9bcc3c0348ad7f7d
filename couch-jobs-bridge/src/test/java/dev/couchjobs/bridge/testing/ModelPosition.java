package dev.couchjobs.bridge.testing;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/**
 * A position in the changes of a database.
 *
 * @param incarnation identifies the database; one that was deleted and created again has another
 * @param shards the position in each shard
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

    /** {@return this position in the form that callers treat as opaque} */
    JsonNode toJson() {
        long total = shards.stream().mapToLong(Long::longValue).sum();
        String all = shards.stream().map(String::valueOf).collect(Collectors.joining("."));
        return StringNode.valueOf(total + "-" + incarnation + "." + all);
    }

    /** @throws IllegalArgumentException if {@link #toJson} has not created it */
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
