package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server is killed at each of its commits, before and after it takes effect, while a client works through a job:
 * adds it, claims it, reports, and finishes it with a job that follows. The client repeats what got no reply.
 * Afterwards the job has ended once, and has added one job.
 */
@Tag("long")
@Timeout(120)
class KilledAtEachCommitTest {
    /** Of the path of a job; the server has some before these, and one or two more or less by its timers. */
    private static final int FIRST = 4;

    private static final int LAST = 12;

    private static final String CLAIM = "{'requestId': '%s', 'max': 1, 'wait': 'PT5S', 'worker': {'name': 'w',"
            + " 'id': '00000000-0000-4000-8000-000000000001', 'types': ['follow']}}";

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI address = URI.create("http://127.0.0.1:" + freePort() + "/");

    @TempDir
    private Path directory;

    private @Nullable ClientProcess server;
    private int kills;
    private int keys;

    static Stream<Arguments> commits() {
        return IntStream.rangeClosed(FIRST, LAST)
                .boxed()
                .flatMap(number -> Stream.of(Arguments.of(number, false), Arguments.of(number, true)));
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void startServer(int fatal, boolean takesEffect) {
        ClientKit java = new ClientKit("Java", Path.of("."), Map.of(), List.of(), List.of(), List.of());
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.couchjobs.server.HaltingServer",
                directory.toString(),
                Integer.toString(address.getPort()),
                Integer.toString(fatal),
                Boolean.toString(takesEffect));
        server = ClientProcess.start(java, command, address, "");
    }

    @AfterEach
    void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    /** Repeats a request, with its key, until there is a reply. A server that was killed is followed by another. */
    private HttpResponse<byte[]> send(String method, String path, String body) {
        String key = "key-" + keys++;
        while (true) {
            try {
                return client.send(
                        HttpRequest.newBuilder(address.resolve(path))
                                .method(method, BodyPublishers.ofString(body.replace('\'', '"')))
                                .header("Content-Type", "application/json")
                                .headers(takesKey(method, path) ? new String[] {"Idempotency-Key", key} : NO_HEADERS)
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
            } catch (IOException e) {
                restartIfKilled();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static final String[] NO_HEADERS = {"Accept", "application/json"};

    private static boolean takesKey(String method, String path) {
        return !method.equals("GET") && !path.endsWith("claims");
    }

    private void restartIfKilled() {
        if (server != null && !server.isAlive()) {
            assertThat(server.awaitExit()).as(server.output()).isEqualTo(137);
            kills++;
            server.close();
            startServer(Integer.MAX_VALUE, true);
        }
    }

    private JsonNode json(HttpResponse<byte[]> response) {
        return JsonMapper.shared().readTree(response.body());
    }

    @ParameterizedTest
    @MethodSource("commits")
    void theJobEndsOnceAndAddsOneJob(int fatal, boolean takesEffect) {
        startServer(fatal, takesEffect);
        send("PUT", "/v1/types/follow/timeout", "{'timeout': 'PT1S'}");
        send("POST", "/v1/types/follow/jobs", "{'data': 1, 'retry': {'initialDelay': 'PT0S'}}");
        String job = "";
        for (int attempt = 0; job.isEmpty(); attempt++) {
            JsonNode claims = json(send("POST", "/v1/work/claims", CLAIM.formatted("claim-" + attempt)))
                    .get("claims");
            if (!claims.isEmpty() && finish(claims.get(0))) {
                job = claims.get(0).get("id").stringValue();
            }
        }

        JsonNode ended = json(send("GET", "/v1/types/follow/jobs/" + job, ""));
        assertThat(ended.get("outcome").stringValue()).isEqualTo("succeeded");
        assertThat(json(send("GET", "/v1/types/effect/counts", ""))
                        .get("pending")
                        .intValue())
                .isEqualTo(1);
        assertThat(json(send("GET", "/v1/types/follow/counts", ""))
                        .get("succeeded")
                        .intValue())
                .isEqualTo(1);
        assertThat(kills).isLessThanOrEqualTo(1);
    }

    /** {@return false if the claim was lost meanwhile} */
    private boolean finish(JsonNode claim) {
        String path = "/v1/work/types/follow/jobs/" + claim.get("id").stringValue();
        String lock = "{'lock': '" + claim.get("lock").stringValue() + "', ";
        send("POST", path + "/update", lock + "'progress': {'done': 1}, 'log': ['half']}");
        HttpResponse<byte[]> finished =
                send("POST", path + "/finish", lock + "'result': 1, 'jobs': [{'type': 'effect', 'data': 1}]}");
        assertThat(finished.statusCode()).isIn(200, 204, 409);
        return finished.statusCode() != 409;
    }
}
