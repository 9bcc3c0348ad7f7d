package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.Databases;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests and replies that are large, and many. */
@Timeout(120)
class MemoryTest {
    private static final int LARGE = 4_000_000;
    /** Together with what follows from them, more than the heap of this JVM. */
    private static final int POSTS = 30;

    private static final int READERS = 70;

    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(threads)
            .build();

    @AfterEach
    void end() {
        threads.shutdown();
    }

    private CompletableFuture<HttpResponse<Void>> post(URI address, byte[] body) {
        return client.sendAsync(
                HttpRequest.newBuilder(address)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build(),
                HttpResponse.BodyHandlers.discarding());
    }

    private static byte[] large(String beginning) {
        byte[] body = new byte[LARGE];
        Arrays.fill(body, (byte) 'x');
        byte[] begin = (beginning + "\"data\": \"").getBytes(StandardCharsets.UTF_8);
        System.arraycopy(begin, 0, body, 0, begin.length);
        body[LARGE - 2] = '"';
        body[LARGE - 1] = '}';
        return body;
    }

    @Test
    void largeRequestsBeyondTheMemoryAreRefusedAndTheServerGoesOn(@TempDir Path directory) {
        try (Database database = Databases.directory(directory.resolve("jobs"));
                TestServer server = TestServer.of(database)) {
            byte[] body = large("{");
            List<CompletableFuture<HttpResponse<Void>>> all = new ArrayList<>();
            for (int i = 0; i < POSTS; i++) {
                all.add(post(server.uri("/v1/types/mail/jobs"), body));
            }
            List<Integer> statuses = all.stream()
                    .map(reply -> reply.handle((done, error) -> error == null ? done.statusCode() : 503)
                            .join())
                    .toList();

            assertThat(statuses).containsOnly(201, 503).contains(201);
            assertThat(server.post("/v1/types/mail/jobs", "{'data': 1}").status())
                    .isEqualTo(201);
            assertThat(post(server.uri("/v1/types/mail/jobs"), body).join().statusCode())
                    .isEqualTo(201);
        }
    }

    @Test
    void repliesThatNobodyReadsKeepNobodyElseFromBeingServed(@TempDir Path directory) throws Exception {
        try (Database database = Databases.directory(directory.resolve("jobs"));
                TestServer server = TestServer.of(database)) {
            assertThat(post(server.uri("/v1/types/mail/jobs"), large("{\"id\": \"a\", "))
                            .join()
                            .statusCode())
                    .isEqualTo(201);
            List<RawClient> clients = new ArrayList<>();
            try {
                for (int i = 0; i < READERS; i++) {
                    RawClient raw = new RawClient(server.uri("/"));
                    clients.add(raw);
                    raw.send("GET /v1/types/mail/jobs/a HTTP/1.1\r\nHost: localhost\r\n\r\n");
                    assertThat(raw.hasReply(10_000)).isTrue();
                }

                assertThat(server.get("/v1/types").status()).isEqualTo(200);
                assertThat(server.post("/v1/types/mail/jobs", "{'data': 1}").status())
                        .isEqualTo(201);
            } finally {
                for (RawClient raw : clients) {
                    raw.close();
                }
            }
        }
    }
}
