package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that take their time. */
@Timeout(120)
class SlowClientsTest {
    private static final Duration TRANSFER = Duration.ofSeconds(1);
    private static final int PACE_MILLIS = 10;
    private static final int MORE_THAN_THREADS = 100;

    private final TestServer server = TestServer.with(
            http -> http.authenticator(Authenticator.always(Access.of("test", Role.ADMIN))),
            options -> options.times(Duration.ofSeconds(2), TRANSFER).connections(MORE_THAN_THREADS + 5));

    @AfterEach
    void close() {
        server.close();
    }

    private void assertThatItServes() {
        assertThat(server.get("/v1/types").status()).isEqualTo(200);
    }

    /** Sends a byte at a time until the server closes or replies. */
    private Duration drip(String beginning, String rest) throws IOException {
        Instant begun = Instant.now();
        try (RawClient client = new RawClient(server.uri("/"))) {
            client.send(beginning);
            for (int i = 0; !client.hasReply(PACE_MILLIS); i++) {
                client.send(String.valueOf(rest.charAt(i % rest.length())));
            }
        } catch (IOException e) {
            // The server has closed the connection.
        }
        return Duration.between(begun, Instant.now());
    }

    @Test
    void aHeadThatArrivesByteByByteIsGivenUp() throws IOException {
        Duration took = drip("GET /v1/types HTTP/1.1\r\n", "X-Slow: a\r\n");
        assertThat(took).isBetween(TRANSFER, TRANSFER.plusSeconds(30));
        assertThatItServes();
    }

    @Test
    void aBodyThatArrivesByteByByteIsGivenUp() throws IOException {
        Duration took = drip(
                "POST /v1/types/mail/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 1000000\r\n\r\n{\"data\":\"",
                "x");
        assertThat(took).isBetween(TRANSFER, TRANSFER.plusSeconds(30));
        assertThatItServes();
    }

    @Test
    void aSilentClientIsGivenUp() throws IOException {
        try (RawClient nothing = new RawClient(server.uri("/"));
                RawClient half = new RawClient(server.uri("/"));
                RawClient body = new RawClient(server.uri("/"))) {
            half.send("GET /v1/types HTTP/1.1\r\nHost: local");
            body.send("POST /v1/types/mail/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 10\r\n\r\n{\"da");
            assertThat(nothing.readAll()).isEmpty();
            assertThat(half.readAll()).doesNotContain("HTTP/1.1 200", "HTTP/1.1 5");
            assertThat(body.readAll()).startsWith("HTTP/1.1 408 ").contains("too-slow");
        }
        assertThatItServes();
    }

    @Test
    void aClientThatNeverReadsIsGivenUp() throws Exception {
        try (RawClient client = new RawClient(server.uri("/"))) {
            client.send("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(2_000));
            // The time limit of the test ends it.
            assertThatThrownBy(() -> {
                        while (true) {
                            client.send("x");
                            CompletableFuture<Void> never = new CompletableFuture<>();
                            assertThatThrownBy(() -> never.get(PACE_MILLIS, TimeUnit.MILLISECONDS))
                                    .isInstanceOf(TimeoutException.class);
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
        assertThatItServes();
    }

    /** More of them than the server has threads. */
    @Test
    void clientsThatNeverReadHoldNoThread() throws IOException {
        List<RawClient> clients = new ArrayList<>();
        String requests = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(200);
        try {
            for (int i = 0; i < MORE_THAN_THREADS; i++) {
                RawClient client = new RawClient(server.uri("/"));
                clients.add(client);
                client.send(requests);
            }
            assertThatItServes();
            for (RawClient client : clients) {
                client.readAll();
            }
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void connectionsBeyondTheLimitWait() throws IOException {
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 2 * MORE_THAN_THREADS; i++) {
                clients.add(new RawClient(server.uri("/")));
            }
            // The first ones are silent, so that they are closed, and the last one gets its turn.
            RawClient last = clients.get(clients.size() - 1);
            last.send("GET /v1/types HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertThat(last.readAll()).startsWith("HTTP/1.1 200 ");
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }
}
