package dev.couchjobs.bridge.internal.couch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.servers.CouchServers;
import dev.couchjobs.bridge.testing.TestClient;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The contract on real servers, over HTTP. */
class HttpCouchTest extends CouchContract {
    @TempDir
    private static Path directory;

    private static CouchServers servers;

    @BeforeAll
    static void start() {
        servers = new CouchServers(2, directory);
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Override
    protected CouchFixture fixture() {
        return new HttpCouchFixture(servers);
    }

    @Test
    void aDocumentMayBeNestedDeeplyButNotWithoutEnd() {
        ObjectNode deep = nested("deep", 900);
        ObjectNode bottomless = nested("bottomless", 1500);
        try (HttpCouchDatabase database = databaseWith(List.of(bottomless, deep))) {
            List<StoredDocument> read = await(database.read(List.of("bottomless", "deep")));
            assertThat(body(read.get(0)).propertyNames()).containsExactly("_id", "_rev");
            assertThat(body(read.get(1)).path("in")).isEqualTo(deep.path("in"));
        }
    }

    private static ObjectNode nested(String id, int depth) {
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("_id", id);
        ObjectNode inner = document;
        for (int i = 0; i < depth; i++) {
            inner = inner.putObject("in");
        }
        return document;
    }

    @Test
    void largeDocumentsAreReadSomeAtATime() {
        List<String> ids = IntStream.range(0, 30).mapToObj(i -> "large-" + i).toList();
        try (HttpCouchDatabase database =
                databaseWith(ids.stream().map(id -> ofSize(id, 500_000)).toList())) {
            assertThat(await(database.readSome(ids))).hasSizeBetween(1, 8);
            assertThat(await(database.read(ids)))
                    .extracting(
                            document -> body(document).path("text").asString().length())
                    .hasSize(30)
                    .containsOnly(500_000);
        }
    }

    @Test
    void aDocumentTooLargeToBeHeldIsReadAsIfItWereEmptyAndHindersNoOther() {
        List<String> ids = List.of("small", "huge", "other");
        try (HttpCouchDatabase database =
                databaseWith(List.of(ofSize("small", 10), withManyValues("huge"), ofSize("other", 10)))) {
            List<StoredDocument> read = await(database.read(ids));
            assertThat(read).extracting(StoredDocument::id).isEqualTo(ids);
            assertThat(body(read.get(0)).has("text")).isTrue();
            assertThat(body(read.get(1)).propertyNames()).containsExactly("_id", "_rev");
            assertThat(body(read.get(2)).has("text")).isTrue();
        }
    }

    /** A document of four million bytes, which needs much more memory. */
    private static ObjectNode withManyValues(String id) {
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("_id", id);
        ArrayNode values = document.putArray("values");
        IntStream.range(0, 2_000_000).forEach(i -> values.add(1));
        return document;
    }

    private static ObjectNode ofSize(String id, int letters) {
        return JsonNodeFactory.instance.objectNode().put("_id", id).put("text", "x".repeat(letters));
    }

    private static ObjectNode body(StoredDocument document) {
        return document.current().orElseThrow().body();
    }

    private HttpCouchDatabase databaseWith(List<ObjectNode> documents) {
        HttpCouchDatabase database = new HttpCouchDatabase(TestClient.settings(servers.newDatabase(0)));
        documents.forEach(document ->
                assertThat(await(database.write(List.of(document)))).hasOnlyElementsOfType(WriteResult.Accepted.class));
        return database;
    }

    private static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(60, SECONDS).join();
    }
}
