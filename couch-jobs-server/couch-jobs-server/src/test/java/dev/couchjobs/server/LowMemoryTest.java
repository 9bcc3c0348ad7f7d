package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Polling;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server with a heap of 256 MB whose users have stored more than that. It ends when it lacks memory, as that of the
 * script {@code couch-jobs} does; so none of these requests may let it.
 */
@Timeout(600)
@Tag("processes")
class LowMemoryTest {
    private static final int LARGE = 3_900_000;
    /** With the copies that a claim needs, all of them together are more than the heap. */
    private static final int JOBS = 24;

    private static final int MESSAGES = 8;
    private static final int AT_ONCE = 40;
    private static final JsonMapper JSON = JsonMapper.shared();

    @TempDir
    private Path root;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private Process server;
    private URI address;

    @BeforeEach
    void start() throws IOException {
        server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.couchjobs.server.ServerMain",
                        "serve",
                        "--directory",
                        root.resolve("data").toString(),
                        "--port",
                        "0")
                .redirectError(root.resolve("log").toFile())
                .start();
        BufferedReader out = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        address = URI.create(out.readLine().replaceAll(".*listens on (\\S+) .*", "$1"));
    }

    @AfterEach
    void end() throws InterruptedException {
        server.destroyForcibly();
        server.waitFor();
    }

    private HttpRequest request(String method, String path, byte[] body) {
        return HttpRequest.newBuilder(address.resolve(path))
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body.length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
    }

    private HttpResponse<byte[]> send(String method, String path, byte[] body) {
        return client.sendAsync(request(method, path, body), HttpResponse.BodyHandlers.ofByteArray())
                .join();
    }

    private HttpResponse<byte[]> send(String method, String path, String json) {
        return send(method, path, json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    /** Sends until there is memory for it. */
    private void store(String path, String before, String after) {
        byte[] value = new byte[LARGE];
        Arrays.fill(value, (byte) 'x');
        String body = before.replace('\'', '"')
                + '"'
                + new String(value, StandardCharsets.US_ASCII)
                + '"'
                + after.replace('\'', '"');
        HttpResponse<byte[]> stored;
        do {
            stored = send("POST", path, body.getBytes(StandardCharsets.US_ASCII));
        } while (stored.statusCode() == 503);
        assertThat(stored.statusCode()).isIn(200, 201);
    }

    private void storeJobs(int count) {
        for (int i = 0; i < count; i++) {
            store("/v1/types/big/jobs", "{'id': 'j" + i + "', 'data': ", "}");
        }
    }

    private JsonNode claim(String worker, String request) {
        HttpResponse<byte[]> claimed;
        do {
            claimed = send(
                    "POST",
                    "/v1/work/claims",
                    "{'requestId': '" + request + "', 'max': 100, 'wait': 'PT5S', 'worker': {'name': 'w', 'id': '"
                            + worker + "', 'types': ['big']}}");
        } while (claimed.statusCode() == 503);
        assertThat(claimed.statusCode())
                .as(new String(claimed.body(), StandardCharsets.UTF_8))
                .isEqualTo(200);
        return JSON.readTree(claimed.body()).get("claims");
    }

    private String log() throws IOException {
        return java.nio.file.Files.readString(root.resolve("log"));
    }

    /** The first claims some jobs, of which none is lost; the next claims others. */
    @Test
    void claimsGetAsManyJobsAsThereIsMemoryFor() throws IOException {
        storeJobs(JOBS);
        TreeSet<String> ids = new TreeSet<>();
        while (ids.size() < JOBS) {
            String worker = UUID.randomUUID().toString();
            JsonNode claims = claim(worker, "r");
            assertThat(claims).as(log()).isNotEmpty();
            for (JsonNode claim : claims) {
                assertThat(claim.get("data").stringValue()).hasSize(LARGE);
                assertThat(ids.add(claim.get("id").stringValue())).isTrue();
                HttpResponse<byte[]> finished = send(
                        "POST",
                        "/v1/work/types/big/jobs/" + claim.get("id").stringValue() + "/finish",
                        "{'lock': '" + claim.get("lock").stringValue() + "'}");
                assertThat(finished.statusCode()).isEqualTo(200);
            }
        }
        assertThat(server.isAlive()).as(log()).isTrue();
    }

    @Test
    void manyClaimsAtOnceLoseNoJob() throws IOException {
        storeJobs(JOBS);
        List<CompletableFuture<HttpResponse<byte[]>>> all = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            String body = "{'requestId': 'r', 'max': 100, 'wait': 'PT0S', 'worker': {'name': 'w', 'id': '"
                    + UUID.randomUUID() + "', 'types': ['big']}}";
            all.add(client.sendAsync(
                    request("POST", "/v1/work/claims", body.replace('\'', '"').getBytes(StandardCharsets.UTF_8)),
                    HttpResponse.BodyHandlers.ofByteArray()));
        }
        int claimed = 0;
        for (CompletableFuture<HttpResponse<byte[]>> one : all) {
            HttpResponse<byte[]> reply = one.join();
            assertThat(reply.statusCode()).isIn(200, 503);
            if (reply.statusCode() == 200) {
                claimed += JSON.readTree(reply.body()).get("claims").size();
            } else {
                assertThat(reply.headers().firstValue("Retry-After")).isPresent();
            }
        }
        assertThat(claimed).isPositive();
        // What no worker has got is pending, when it has been put back.
        while (running() > claimed) {
            Polling.pause();
        }
        assertThat(server.isAlive()).as(log()).isTrue();
    }

    /** Each verb of a worker for a claim, with its body behind the lock; what ends the claims comes last. */
    private static final List<String> VERBS = List.of(
            "update",
            "update, 'progress': {'done': 1}",
            "snooze, 'time': 'PT0S'",
            "fail, 'error': {'type': 'E'}",
            "release",
            "cancel",
            "finish");

    @Test
    void whatWorkersSayOfTheirClaimsLoadsNoData() throws IOException {
        storeJobs(JOBS);
        for (String verb : VERBS) {
            List<JsonNode> claims = new ArrayList<>();
            while (claims.size() < 2) {
                claim(UUID.randomUUID().toString(), "r").forEach(claims::add);
            }
            List<CompletableFuture<HttpResponse<byte[]>>> all = new ArrayList<>();
            for (int i = 0; i < 5 * AT_ONCE; i++) {
                JsonNode claim = claims.get(i % claims.size());
                String rest = verb.contains(",") ? verb.substring(verb.indexOf(',')) : "";
                String body = "{'lock': '" + claim.get("lock").stringValue() + "'" + rest + "}";
                all.add(client.sendAsync(
                        request(
                                "POST",
                                "/v1/work/types/big/jobs/" + claim.get("id").stringValue() + "/"
                                        + verb.split(",", -1)[0],
                                body.replace('\'', '"').getBytes(StandardCharsets.UTF_8)),
                        HttpResponse.BodyHandlers.ofByteArray()));
            }
            for (CompletableFuture<HttpResponse<byte[]>> one : all) {
                HttpResponse<byte[]> reply = one.join();
                assertThat(reply.statusCode()).as(verb).isEqualTo(200);
            }
            // The next verb finds the jobs of this one, if they are not over.
            claims.forEach(claim -> send(
                    "POST",
                    "/v1/work/types/big/jobs/" + claim.get("id").stringValue() + "/release",
                    "{'lock': '" + claim.get("lock").stringValue() + "'}"));
        }
        assertThat(server.isAlive()).as(log()).isTrue();
        assertThat(log()).doesNotContain("OutOfMemoryError");
    }

    private RawClient rawClient() throws IOException {
        try {
            return new RawClient(address);
        } catch (IOException e) {
            throw new AssertionError(log(), e);
        }
    }

    private long running() {
        return JSON.readTree(send("GET", "/v1/types/big/counts", "").body())
                .get("running")
                .longValue();
    }

    /** All that load what users have stored. */
    private static final List<String> READS = List.of(
            "/v1/types/big/jobs/j0",
            "/v1/types/big/jobs/j0/data",
            "/v1/types/big/jobs/j0/result?timeout=PT0S",
            "/v1/topics/log/messages?from=earliest&limit=1000",
            "/v1/topics/log/messages?from=earliest&limit=1000&wait=PT1S",
            "/v1/topics/log/partitions/0/messages?from=earliest&limit=1000",
            "/v1/topics/log/latest?key=k",
            "/v1/topics/log/groups/g/messages?limit=100");

    @Test
    void readsAndStreamsWaitForTheirTurnOrAreToldToTryAgain() throws IOException {
        storeJobs(2);
        send("PUT", "/v1/topics/log", "{'partitions': 1, 'compactAfter': 'P1D'}");
        for (int i = 0; i < MESSAGES; i++) {
            store("/v1/topics/log/messages", "{'messages': [{'key': 'k', 'value': ", "}]}");
        }
        assertThat(send("PUT", "/v1/topics/log/groups/g", "{'from': 'earliest'}")
                        .statusCode())
                .isEqualTo(200);
        for (String read : READS) {
            List<CompletableFuture<HttpResponse<byte[]>>> all = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                all.add(client.sendAsync(request("GET", read, new byte[0]), HttpResponse.BodyHandlers.ofByteArray()));
            }
            int done = 0;
            for (CompletableFuture<HttpResponse<byte[]>> one : all) {
                HttpResponse<byte[]> reply = one.join();
                assertThat(reply.statusCode()).as(read + " " + reply.headers()).isIn(200, 202, 503);
                done += reply.statusCode() == 503 ? 0 : 1;
            }
            assertThat(done).as(read).isPositive();
        }
        List<RawClient> deaf = new ArrayList<>();
        try {
            for (int i = 0; i < 2 * AT_ONCE; i++) {
                RawClient raw = rawClient();
                deaf.add(raw);
                raw.send(String.join(
                        "\r\n",
                        "GET /v1/topics/log/messages?from=earliest HTTP/1.1",
                        "Host: localhost",
                        "Accept: text/event-stream",
                        "",
                        ""));
                assertThat(raw.hasReply(30_000)).as(log()).isTrue();
            }
            assertThat(send("POST", "/v1/types/small/jobs", "{'data': 1}").statusCode())
                    .isEqualTo(201);
        } finally {
            for (RawClient raw : deaf) {
                raw.close();
            }
        }
        assertThat(server.isAlive()).as(log()).isTrue();
        assertThat(log()).doesNotContain("OutOfMemoryError");
    }
}
