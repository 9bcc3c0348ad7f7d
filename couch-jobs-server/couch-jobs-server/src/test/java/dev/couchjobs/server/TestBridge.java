package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.servers.LocalServer;
import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.server.TestServer.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** A CouchDB server, and a bridge between it and the database of a server. */
public final class TestBridge implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final TestServer server;
    private final LocalServer couch = LocalServer.inMemory();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Path file;
    private final Bridge bridge;

    private TestBridge(TestServer server) {
        this.server = server;
        createDatabase("jobs");
        createDatabase("other");
        file = write(couch.database("jobs"));
        bridge = Bridge.of(file).database(server.database).start();
    }

    /** {@return a bridge that follows its database} */
    public static TestBridge start(TestServer server) {
        TestBridge started = new TestBridge(server);
        started.awaitNode(node -> node.get("connected").booleanValue());
        return started;
    }

    /** Writes the file of a bridge that allows commands, and keeps its jobs in a directory beside the file. */
    static Path write(URI database) {
        try {
            Path directory = Files.createTempDirectory("couch-jobs-bridge-");
            return Files.writeString(directory.resolve("bridge.toml"), """
                    node = 'reg_a'
                    workers = 1
                    [cluster]
                    nodes = ['reg_a', 'reg_b']
                    [couchdb]
                    url = '%s'
                    heartbeat = '1s'
                    [engine]
                    directory = 'data'
                    [shell]
                    enabled = true
                    grace = '1s'
                    """.formatted(database));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void createDatabase(String name) {
        assertThat(send("PUT", couch.database(name), "")).isEqualTo(201);
    }

    /** Puts a document into the database of the node. */
    public void put(String id, String json) {
        URI place = URI.create(couch.database("jobs") + "/" + URLEncoder.encode(id, StandardCharsets.UTF_8));
        assertThat(send("PUT", place, json.replace('\'', '"'))).isEqualTo(201);
    }

    private int send(String method, URI place, String body) {
        HttpRequest request = HttpRequest.newBuilder(place)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "application/json")
                .build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** {@return the node, as soon as it fulfils a condition} */
    public JsonNode awaitNode(Predicate<JsonNode> condition) {
        return await("/v1/bridge/nodes/reg_a", condition);
    }

    /** {@return a document, as soon as the store has it and it fulfils a condition} */
    public JsonNode awaitDocument(String id, Predicate<JsonNode> condition) {
        return await("/v1/bridge/nodes/reg_a/documents/" + id, condition);
    }

    private JsonNode await(String path, Predicate<JsonNode> condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Response last = server.get(path);
        while (last.status() != 200 || !condition.test(last.body())) {
            assertThat(System.nanoTime()).as("%s: %s", path, last.body()).isLessThan(end);
            Polling.pause();
            last = server.get(path);
        }
        return last.body();
    }

    @Override
    public void close() {
        bridge.close();
        couch.close();
    }
}
