package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.internal.access.AccessToken;
import dev.couchjobs.server.internal.access.AccessTokens;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that writes its whole request before it reads learns why the request is refused. */
@Timeout(120)
class EarlyRefusalsTest {
    /** More than the buffers of both sockets. */
    private static final int BODY = 12 * 1024 * 1024;

    private static final byte[] CHUNK = new byte[64 * 1024];
    private static final String JOBS = "/v1/types/mail/jobs";

    private static TestServer server;
    private static TestServer rated;
    private static String admin;
    private static String reader;

    static {
        Arrays.fill(CHUNK, (byte) 'x');
    }

    @BeforeAll
    static void open() {
        server = new TestServer(http -> http.tokens().audit(false).feedClients(1));
        rated = new TestServer(http -> http.authenticator(Authenticator.always(Access.of("test", Role.ADMIN)))
                .audit(false)
                .rate(1, 1));
        admin = token("root", Role.ADMIN);
        reader = token("reader", Role.READ);
    }

    private static String token(String name, Role role) {
        return new AccessTokens(server.database, server.serverRows, InstantSource.system())
                .create(new AccessToken.Wanted(name, Set.of(role), Optional.empty(), Optional.empty()))
                .join()
                .text();
    }

    @AfterAll
    static void close() {
        rated.close();
        server.close();
    }

    /** A request, without what says how long its body is. */
    private record Refused(int status, TestServer to, String line, List<String> headers) {
        @Override
        public String toString() {
            String text = line + " " + String.join(" ", headers);
            return text.substring(0, Math.min(90, text.length()));
        }

        String head() {
            return line + " HTTP/1.1\r\n"
                    + headers.stream().map(header -> header + "\r\n").collect(Collectors.joining())
                    + (headers.stream().anyMatch(header -> header.startsWith("Host:")) ? "" : "Host: localhost\r\n");
        }
    }

    private static Refused refused(int status, String line, String... headers) {
        return new Refused(status, server, line, List.of(headers));
    }

    /** {@return requests that the API refuses before it has read their bodies} */
    private static List<Refused> refusedByTheApi() {
        String json = "Content-Type: application/json";
        String root = "Authorization: Bearer " + admin;
        return List.of(
                refused(401, "POST " + JOBS, json),
                refused(401, "POST " + JOBS, json, "Authorization: Bearer " + admin.replace(admin.charAt(30), '_')),
                refused(403, "POST " + JOBS, json, "Authorization: Bearer " + reader),
                refused(403, "POST " + JOBS, json, root, "Origin: https://evil.example"),
                refused(404, "POST /v1/nothing", json, root),
                refused(404, "POST /nothing/at/all"),
                refused(400, "POST /v1/types/%FF/jobs", json, root),
                refused(405, "PUT " + JOBS, json, root),
                refused(405, "POST /ui/jobs", json),
                refused(404, "GET /assets/nothing.mjs", json),
                refused(400, "POST " + JOBS + "?unknown=1", json, root),
                refused(400, "POST " + JOBS, json, root, "Idempotency-Key: " + "k".repeat(201)),
                refused(413, "POST " + JOBS, json, root),
                refused(415, "POST " + JOBS, "Content-Type: text/plain", root),
                refused(415, "POST " + JOBS, root),
                refused(204, "OPTIONS " + JOBS, json),
                refused(200, "GET /v1/types", json, root));
    }

    /** {@return requests that are refused before their way to the API} */
    private static List<Refused> refusedBefore() {
        return List.of(
                refused(421, "POST " + JOBS, "Host: evil.example"),
                refused(431, "POST " + JOBS, "X: " + "x".repeat(9_000)),
                refused(414, "POST /" + "x".repeat(9_000)),
                refused(417, "POST " + JOBS, "Expect: miracles"),
                refused(400, "POST " + JOBS, "Content-Length: many"),
                refused(400, "POST " + JOBS, "No colon"),
                refused(400, "POST /v1/types/%zz"),
                refused(400, "POST " + JOBS, "Content-Length: 5", "Content-Length: 6"),
                refused(400, "POST " + JOBS, "Transfer-Encoding: gzip"));
    }

    private static String status(Refused request, boolean isChunked) {
        try (RawClient client = new RawClient(request.to().uri("/"))) {
            client.send(request.head()
                    + (isChunked ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: " + BODY + "\r\n\r\n"));
            for (int sent = 0; sent < BODY; sent += CHUNK.length) {
                if (isChunked) {
                    client.send(Integer.toHexString(CHUNK.length) + "\r\n");
                }
                client.send(CHUNK);
                if (isChunked) {
                    client.send("\r\n");
                }
            }
            if (isChunked) {
                client.send("0\r\n\r\n");
            }
            String reply = client.readReply();
            return reply.substring(0, Math.min(12, reply.length()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void assertThatAllAreTold(List<Refused> requests, boolean isChunked) {
        Map<String, String> expected = new LinkedHashMap<>();
        Map<String, String> told = new LinkedHashMap<>();
        for (Refused request : requests) {
            expected.put(request.toString(), "HTTP/1.1 " + request.status());
            told.put(request.toString(), status(request, isChunked));
        }
        assertThat(told).isEqualTo(expected);
    }

    @Test
    void refusalsByTheApiAreReadWithABodyOfAKnownLength() {
        assertThatAllAreTold(refusedByTheApi(), false);
    }

    @Test
    void refusalsByTheApiAreReadWithABodyInChunks() {
        assertThatAllAreTold(refusedByTheApi(), true);
    }

    @Test
    void refusalsOfMalformedRequestsAreRead() {
        assertThatAllAreTold(refusedBefore(), false);
    }

    @Test
    void aCallerThatCallsTooOftenIsTold() {
        Refused request = new Refused(429, rated, "POST " + JOBS, List.of("Content-Type: application/json"));
        assertThat(rated.get("/v1/types").status()).isEqualTo(200);
        assertThatAllAreTold(List.of(request), false);
    }

    /** A malformed path ends the stream, before there is a request. */
    @Test
    void refusalsAreReadOverHttp2() throws Exception {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        URI root = server.uri("/");
        HttpResponse<String> first =
                client.send(HttpRequest.newBuilder(root).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
        Map<String, Integer> expected = new LinkedHashMap<>();
        Map<String, Integer> told = new LinkedHashMap<>();
        byte[] body = new byte[BODY];
        for (Refused request : refusedByTheApi()) {
            String[] line = request.line().split(" ", -1);
            if (line[1].contains("%")) {
                continue;
            }
            HttpRequest.Builder builder = HttpRequest.newBuilder(root.resolve(line[1]))
                    .timeout(Duration.ofSeconds(30))
                    .method(line[0], HttpRequest.BodyPublishers.ofByteArray(body));
            for (String header : request.headers()) {
                builder.header(header.substring(0, header.indexOf(':')), header.substring(header.indexOf(' ') + 1));
            }
            expected.put(request.toString(), request.status());
            told.put(
                    request.toString(),
                    client.sendAsync(builder.build(), HttpResponse.BodyHandlers.ofString())
                            .handle((reply, error) -> error == null ? reply.statusCode() : 0)
                            .join());
        }
        assertThat(told).isEqualTo(expected);
    }

    @Test
    void aConnectionGoesOnAfterABodyThatNobodyWanted() throws IOException {
        try (RawClient client = new RawClient(server.uri("/"))) {
            for (int i = 0; i < 3; i++) {
                client.send(
                        "POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + CHUNK.length + "\r\n\r\n");
                client.send(CHUNK);
                assertThat(client.readReply()).startsWith("HTTP/1.1 404 ");
            }
        }
    }

    /** What is read in vain has an end. */
    @Test
    void aBodyWithoutEndEndsTheConnection() throws IOException {
        for (Refused request : List.of(
                refusedByTheApi().get(0),
                refusedBefore().get(0),
                refusedBefore().get(1))) {
            try (RawClient client = new RawClient(server.uri("/"))) {
                client.send(request.head() + "Content-Length: 1000000000000\r\n\r\n");
                long sent = 0;
                try {
                    while (sent < 4_000_000_000L) {
                        client.send(CHUNK);
                        sent += CHUNK.length;
                    }
                } catch (IOException e) {
                    // The server has had enough.
                }
                assertThat(sent).isLessThan(500_000_000L);
            }
        }
        assertThat(server.get("/v1/types", "Authorization", "Bearer " + admin).status())
                .isEqualTo(200);
    }
}
