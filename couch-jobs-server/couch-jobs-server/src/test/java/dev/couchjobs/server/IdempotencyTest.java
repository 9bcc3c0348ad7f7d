package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A key stands for one request: whatever differs in another one, it is another one. */
@Timeout(60)
class IdempotencyTest {
    private static final String KEY = "Idempotency-Key";

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    /** A request, of which each part may differ. */
    private record Sent(String method, String path, String mediaType, String body, List<String> headers) {
        static Sent json(String path, String body, String... headers) {
            return new Sent("POST", path, "application/json", body.replace('\'', '"'), List.of(headers));
        }

        static Sent bytes(String path, String mediaType, String body) {
            return new Sent("POST", path, mediaType, body, List.of());
        }
    }

    private Response send(Sent sent, String key) {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri(sent.path()))
                .method(
                        sent.method(),
                        HttpRequest.BodyPublishers.ofByteArray(sent.body().getBytes(StandardCharsets.ISO_8859_1)))
                .header("Content-Type", sent.mediaType())
                .header(KEY, key);
        for (int i = 0; i < sent.headers().size(); i += 2) {
            request.header(sent.headers().get(i), sent.headers().get(i + 1));
        }
        return server.send(request.build());
    }

    /** Groups of requests, each of which differs from each other one of its group. */
    private List<List<Sent>> groups(String tag) {
        String jobs = "/v1/types/bin/jobs";
        return List.of(
                List.of(
                        Sent.bytes(jobs, "image/png", "AAAAAAAA"),
                        Sent.bytes(jobs, "image/png", "BBBBBBBB"),
                        Sent.bytes(jobs, "image/png", "AAAAAAA\u0000"),
                        Sent.bytes(jobs, "image/png", "AAAAAAA"),
                        Sent.bytes(jobs, "image/png", ""),
                        Sent.bytes(jobs, "image/gif", "AAAAAAAA"),
                        Sent.bytes(jobs, "image/png; a=1", "AAAAAAAA"),
                        Sent.bytes(jobs + "?id=a", "image/png", "AAAAAAAA"),
                        Sent.bytes("/v1/types/other/jobs", "image/png", "AAAAAAAA"),
                        Sent.json(jobs, "{'data': '8 bytes of image/png'}"),
                        Sent.json(jobs, "{'data': {'dataMediaType': 'image/png', 'dataBytes': 'QUFBQUFBQUE='}}"),
                        Sent.json(jobs, "{'dataMediaType': 'image/png', 'dataBytes': 'QUFBQUFBQUI='}")),
                List.of(
                        Sent.json(jobs, "{'data': 1}"),
                        Sent.json(jobs, "{'data': 1.0}"),
                        Sent.json(jobs, "{'data': '1'}"),
                        Sent.json(jobs, "{'data': [1]}"),
                        Sent.json(jobs, "{'data': {'data': 1}}"),
                        Sent.json(jobs, "{'data': 1, 'priority': 1}"),
                        Sent.json(jobs, "{'dataBytes': 'MQ=='}"),
                        Sent.json(jobs, "{'dataBytes': 'MQ==', 'dataMediaType': 'application/json'}"),
                        Sent.json("/v1/jobs", "{'jobs': [{'type': 'bin', 'data': 1}]}")),
                List.of(
                        Sent.json("/v1/types/a%2C%20id=b/jobs/c/cancel", ""),
                        Sent.json("/v1/types/a/jobs/b%2C%20id=c/cancel", ""),
                        Sent.json("/v1/types/a/jobs/c/cancel", ""),
                        Sent.json("/v1/types/a/jobs/c/cancel", "{}"),
                        Sent.json("/v1/types/a/jobs/c/cancel", "{'reason': 'r'}"),
                        Sent.json("/v1/types/a/jobs/c/run-now", "")),
                List.of(
                        Sent.json("/v1/types/a/jobs/kept/reprioritise", "{'priority': 5}"),
                        Sent.json("/v1/types/a/jobs/kept/reprioritise", "{'priority': 5}", "If-Match", tag),
                        Sent.json("/v1/types/a/jobs/kept/reprioritise", "{'priority': 5}", "If-Match", "\"other\""),
                        Sent.json("/v1/types/a/jobs/kept/reprioritise", "{'priority': 5}", "If-Match", "*")));
    }

    private String tag() {
        return server.get("/v1/types/a/jobs/kept").header("ETag");
    }

    @Test
    void anotherRequestWithTheSameKeyIsRefused() {
        server.post("/v1/types/a/jobs", "{'id': 'kept', 'data': 1, 'priority': 5}");
        int key = 0;
        List<String> wrong = new ArrayList<>();
        for (List<Sent> group : groups(tag())) {
            for (Sent first : group) {
                String name = "key-" + key++;
                Response stored = send(first, name);
                if (stored.status() >= 400) {
                    // Nothing is stored, so nothing is repeated.
                    assertThat(first.headers()).as(first + stored.detail()).contains("\"other\"");
                    continue;
                }
                for (Sent second : group) {
                    Response response = send(second, name);
                    boolean isReplay = response.header("Idempotent-Replay").equals("true");
                    if (first.equals(second) != isReplay
                            || (!isReplay && !response.problem().equals("key-reused"))) {
                        wrong.add(first + " then " + second + ": " + response.status() + " " + response.detail());
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
    }
}
