package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.internal.openapi.ApiDocument;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** No request says a number that the server cannot hold: the document bounds each, and the server checks by it. */
class NumbersTest {
    private final JsonNode document =
            JsonMapper.builder().build().readTree(ApiDocument.get().json());

    private final List<String> unbounded = new ArrayList<>();
    private final Set<String> seen = new HashSet<>();

    @Test
    void eachIntegerOfARequestHasALargestValue() {
        document.get("paths")
                .forEachEntry((path, item) -> item.forEachEntry((method, operation) -> {
                    collect(path + " " + method, operation.path("parameters"));
                    collect(path + " " + method, operation.path("requestBody"));
                }));
        assertThat(seen).isNotEmpty();
        assertThat(unbounded).isEmpty();
    }

    private void collect(String place, JsonNode node) {
        if (node.has("$ref")) {
            String reference = node.get("$ref").stringValue();
            if (seen.add(reference)) {
                collect(reference, document.at(reference.substring(1)));
            }
            return;
        }
        boolean isReadOnly = node.path("readOnly").asBoolean(false);
        if (node.path("type").asString("").equals("integer") && !isReadOnly && !isBounded(node)) {
            unbounded.add(place + " " + node);
        }
        node.forEach(inner -> collect(place, inner));
    }

    private static boolean isBounded(JsonNode schema) {
        return schema.path("maximum").canConvertToLong() || schema.has("const") || schema.has("enum");
    }
}
