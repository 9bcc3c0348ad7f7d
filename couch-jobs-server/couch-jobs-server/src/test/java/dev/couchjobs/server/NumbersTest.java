package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import dev.couchjobs.server.internal.openapi.ApiDocument;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * No request says a number that the server cannot hold, or that the library does not take: the document bounds each, and
 * the server checks by it.
 */
@Timeout(60)
class NumbersTest {
    /** What the server reads as a {@code long}; all else as an {@code int}. */
    private static final Set<String> LONG =
            Set.of("after", "producer_id", "consumer_id", "maxBytes", "memoryLimit", "done", "total");

    private static final String WORKER = "'worker': {'name': 'w', 'id': '" + UUID.randomUUID() + "', 'types': ['a']";
    private static final String CLAIM =
            "POST /v1/work/claims {'requestId': 'r%2$s', 'max': 1, 'wait': 'PT0S', " + WORKER;

    /** A request that says a number, by its name and its largest value. */
    private static final Map<String, String> REQUESTS = Map.ofEntries(
            Map.entry("after 9223372036854775807", "GET /v1/types/a/jobs/a/log?after=%s"),
            Map.entry("limit 1000", "GET /v1/types/a/jobs/a/log?limit=%s"),
            Map.entry("limit 20", "GET /v1/schedules/s/firings?limit=%s"),
            Map.entry("limit 1000000", "GET /v1/feed?limit=%s"),
            Map.entry("weight 1000", "PUT /v1/types/a/limit-keys/k {'weight': %s}"),
            Map.entry("max 2147483647", "PUT /v1/types/a/limits {'max': %s}"),
            Map.entry(
                    "max 100",
                    "POST /v1/work/claims {'requestId': 'm%2$s', 'max': %s, 'wait': 'PT0S', " + WORKER + "}}"),
            Map.entry("partitions 1024", "PUT /v1/topics/t%2$s {'partitions': %s}"),
            Map.entry("partition 1023", "POST /v1/topics/wide/messages {'messages': [{'value': 1, 'partition': %s}]}"),
            Map.entry(
                    "producer_id 9007199254740991",
                    "POST /queue/produce {'topic': 'wide', 'producer_id': %s, 'message': 'm'}"),
            Map.entry("consumer_id 9007199254740991", "GET /queue/size?topic=wide&consumer_id=%s"),
            Map.entry("priority 2147483647", "POST /v1/types/b/jobs {'data': 1, 'priority': %s}"),
            Map.entry("starts 1000000", "PUT /v1/types/a/limits {'rate': {'starts': %s, 'period': 'PT1S'}}"),
            Map.entry("burst 1000000", "PUT /v1/types/a/limits {'rate': {'starts': 1, 'period': 'PT1S', 'burst': %s}}"),
            Map.entry("maxBytes 9007199254740991", "PUT /v1/topics/b%2$s {'partitions': 1, 'maxBytes': %s}"),
            Map.entry("maxAttempts 2147483647", "POST /v1/types/b/jobs {'data': 1, 'retry': {'maxAttempts': %s}}"),
            Map.entry(
                    "failuresAtLeast 2147483647",
                    "POST /v1/types/a/selections {'action': 'count', 'where': {'failuresAtLeast': %s}}"),
            Map.entry(
                    "makeUpFor 1000",
                    "PUT /v1/schedules/s {'every': 'PT1H', 'makeUpFor': %s, 'job': {'type': 'a', 'data': 1}}"),
            Map.entry("workers 10000", "PATCH /v1/bridge/nodes/reg_a/settings {'workers': %s}"),
            Map.entry("concurrency 10000", "PATCH /v1/bridge/nodes/reg_a/settings {'concurrency': {'mail': %s}}"),
            Map.entry("memoryLimit 4611686018427387904", "PATCH /v1/bridge/nodes/reg_a/settings {'memoryLimit': %s}"),
            Map.entry("concurrency 1000000", CLAIM + ", 'concurrency': %s}}"),
            Map.entry("running 1000000", CLAIM + ", 'running': %s}}"),
            Map.entry("done 9223372036854775807", "{'progress': {'done': %s}}"),
            Map.entry("total 9223372036854775807", "{'progress': {'done': 0, 'total': %s}}"));

    /** Requests that fail for another reason than their number: of no registration, and of no kind of the node. */
    private static final Map<String, List<Integer>> OTHER_REFUSALS = Map.of(
            "producer_id 9007199254740991", List.of(404),
            "consumer_id 9007199254740991", List.of(404),
            "concurrency 10000", List.of(400));

    private final JsonNode document =
            JsonMapper.builder().build().readTree(ApiDocument.get().json());

    /** The integers of requests, by their names and largest values. */
    private final Map<String, JsonNode> integers = new TreeMap<>();

    private final List<String> unbounded = new ArrayList<>();
    private final Set<String> seen = new HashSet<>();

    @BeforeEach
    void collect() {
        document.get("paths")
                .forEachEntry((path, item) -> item.forEachEntry((method, operation) -> {
                    collect(path + " " + method, "", operation.path("parameters"));
                    collect(path + " " + method, "", operation.path("requestBody"));
                }));
        assertThat(seen).isNotEmpty();
    }

    private void collect(String place, String name, JsonNode node) {
        if (node.has("$ref")) {
            String reference = node.get("$ref").stringValue();
            if (seen.add(reference + " as " + name)) {
                collect(reference, name, document.at(reference.substring(1)));
            }
            return;
        }
        boolean isReadOnly = node.path("readOnly").asBoolean(false);
        if (node.path("type").toString().contains("\"integer\"") && !isReadOnly) {
            if (!isBounded(node)) {
                unbounded.add(place + " " + node);
            }
            integers.put(name + " " + node.path("maximum"), node);
        }
        String own = node.has("in") && node.has("name") ? node.get("name").stringValue() : name;
        node.forEachEntry((key, inner) -> {
            if (key.equals("properties")) {
                inner.forEachEntry((property, schema) -> collect(place, property, schema));
            } else {
                collect(place, own, inner);
            }
        });
        if (node.isArray()) {
            node.forEach(inner -> collect(place, own, inner));
        }
    }

    private static boolean isBounded(JsonNode schema) {
        return schema.path("maximum").canConvertToLong() || schema.has("const") || schema.has("enum");
    }

    @Test
    void eachIntegerOfARequestHasALargestValue() {
        assertThat(unbounded).isEmpty();
    }

    @Test
    void whatIsReadAsAnIntIsOne() {
        Set<String> beyond = new TreeSet<>();
        integers.forEach((name, schema) -> {
            if (!schema.get("maximum").canConvertToInt()
                    || !schema.path("minimum").canConvertToInt()) {
                beyond.add(name.substring(0, name.indexOf(' ')));
            }
        });
        assertThat(beyond).containsExactlyInAnyOrderElementsOf(LONG);
    }

    @Test
    void eachLargestAndSmallestValueIsTaken() {
        assertThat(integers.keySet()).containsExactlyInAnyOrderElementsOf(REQUESTS.keySet());
        TestServer server = TestServer.forEverything();
        TestBridge bridge = TestBridge.start(server);
        try {
            server.post("/v1/types/a/jobs", "{'id': 'a', 'data': 1}");
            server.put("/v1/schedules/s", "{'every': 'PT1H', 'job': {'type': 'a', 'data': 1}}");
            server.put("/v1/topics/wide", "{'partitions': 1024}");
            integers.forEach((name, schema) -> List.of("minimum", "maximum").forEach(bound -> {
                Response reply = send(
                        server,
                        Objects.requireNonNull(REQUESTS.get(name)),
                        schema.get(bound).toString(),
                        name.charAt(0) + bound);
                assertThat(reply.status())
                        .as(name + " " + bound + ": " + reply.detail())
                        .isIn(OTHER_REFUSALS.getOrDefault(name, List.of(200, 201, 202, 204)));
            }));
        } finally {
            bridge.close();
            server.close();
        }
    }

    private static Response send(TestServer server, String request, String number, String unique) {
        if (request.startsWith("{")) {
            return server.post(
                    "/v1/work/types/claimed/jobs/" + unique + "/update",
                    "{'lock': '" + lock(server, unique) + "', "
                            + String.format(request, number).substring(1));
        }
        String[] parts = String.format(request, number, unique).split(" ", 3);
        return server.send(server.request(parts[0], parts[1], parts.length > 2 ? parts[2] : ""));
    }

    private static String lock(TestServer server, String id) {
        server.post("/v1/types/claimed/jobs", "{'id': '" + id + "', 'data': 1}");
        return server.post(
                        "/v1/work/claims",
                        "{'requestId': '" + UUID.randomUUID() + "', 'max': 1, 'wait': 'PT0S', 'worker': {'name': 'c',"
                                + " 'id': '" + UUID.randomUUID() + "', 'types': ['claimed']}}")
                .body()
                .at("/claims/0/lock")
                .stringValue();
    }
}
