package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.simulation.FaultPlan;
import dev.couchjobs.fdb.simulation.FaultPoint;
import dev.couchjobs.fdb.simulation.FaultyDatabase;
import dev.couchjobs.fdb.simulation.InjectedFault;
import dev.couchjobs.fdb.testing.Polling;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What waits for a client, or writes to it, ends when the client leaves: long before the wait would. */
@Tag("long") // on JDK 25 its client of HTTP/2 has once not ended a request that was cancelled
@Timeout(60)
class LeavingClientsTest {
    private static final JobType<Object, Object> MAIL = JobType.of("mail", Object.class, Object.class);
    private static final String LONG = "PT300S";

    private final WatchCounter watches = new WatchCounter(EmbeddedDatabase.openInMemory(), "mail");
    private final TestServer server = TestServer.of(watches.database(), http -> http.feedClients(1));
    private final HttpClient http2 =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();

    @BeforeEach
    void connect() throws IOException, InterruptedException {
        HttpRequest first = HttpRequest.newBuilder(server.uri("/v1/health")).build();
        assertThat(http2.send(first, HttpResponse.BodyHandlers.discarding()).version())
                .isEqualTo(HttpClient.Version.HTTP_2);
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** How a client asks, and leaves. */
    enum Protocol {
        HTTP_1 {
            @Override
            Leaving ask(LeavingClientsTest test, HttpRequest request, String body) throws IOException {
                RawClient client = new RawClient(test.server.uri("/"));
                client.send(request.method() + " " + request.uri().getRawPath() + "?"
                        + request.uri().getRawQuery() + " HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
                return client::close;
            }
        },
        HTTP_2 {
            @Override
            Leaving ask(LeavingClientsTest test, HttpRequest request, String body) {
                CompletableFuture<HttpResponse<InputStream>> response =
                        test.http2.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream());
                return () -> {
                    if (!response.cancel(true)) {
                        response.join().body().close();
                    }
                };
            }
        };

        abstract Leaving ask(LeavingClientsTest test, HttpRequest request, String body) throws IOException;
    }

    @FunctionalInterface
    interface Leaving {
        void leave() throws IOException;
    }

    private Leaving get(Protocol protocol, String path) throws IOException {
        return protocol.ask(this, HttpRequest.newBuilder(server.uri(path)).build(), "");
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Polling.pause();
        }
    }

    private void add(String id) {
        server.jobs.add(server.database, MAIL, id, 1).join();
    }

    @ParameterizedTest
    @EnumSource
    void aWaitForAJob(Protocol protocol) throws IOException {
        add("a");
        assertThat(watches.openWatches()).isZero();
        Leaving client = get(protocol, "/v1/types/mail/jobs/a/result?timeout=" + LONG);
        await(() -> watches.openWatches() > 0);

        client.leave();

        await(() -> watches.openWatches() == 0);
    }

    /** The stream is reset before the server watches the connection. */
    @Test
    void aWaitForAJobThatTheClientHasLeftBeforeItBegins() throws Exception {
        HeldRead held = new HeldRead();
        WatchCounter own = new WatchCounter(new FaultyDatabase(EmbeddedDatabase.openInMemory(), held), "mail");
        try (TestServer slow = TestServer.of(own.database())) {
            slow.jobs.add(slow.database, MAIL, "a", 1).join();
            HttpRequest any = HttpRequest.newBuilder(slow.uri("/openapi.json")).build();
            http2.send(any, HttpResponse.BodyHandlers.discarding());
            String result = "/v1/types/mail/jobs/a/result?timeout=";
            held.isAwaited = true;
            Leaving client = Protocol.HTTP_2.ask(
                    this, HttpRequest.newBuilder(slow.uri(result + LONG)).build(), "");
            held.begun.join();

            client.leave();
            // On the same connection: so the server has read that the stream was reset.
            http2.send(any, HttpResponse.BodyHandlers.discarding());
            held.mayGoOn.complete(null);

            slow.get(result + "PT0.5S"); // begins to wait later, and ends
            await(() -> own.openWatches() == 0);
        }
    }

    /** Holds the thread of one read. */
    private static final class HeldRead implements FaultPlan {
        private final CompletableFuture<Void> begun = new CompletableFuture<>();
        private final CompletableFuture<Void> mayGoOn = new CompletableFuture<>();
        private volatile boolean isAwaited;

        @Override
        public @Nullable InjectedFault injectedFault(FaultPoint point) {
            return null;
        }

        @Override
        public CompletableFuture<?> before(FaultPoint point) {
            if (isAwaited && begun.complete(null)) {
                mayGoOn.join();
            }
            return CompletableFuture.completedFuture(point);
        }
    }

    /** The server shares the watch of long polls and keeps it for a minute, so this looks at the connection. */
    @Test
    void aLongPoll() throws IOException {
        add("a");
        try (RawClient client = new RawClient(server.uri("/"))) {
            client.send("GET /v1/types/mail/feed?feed=longpoll&since=now&timeout=" + LONG
                    + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            await(() -> watches.openWatches() > 0);

            client.end();

            assertThat(client.readAll()).contains("\"results\":[]");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFeed(Protocol protocol) throws IOException {
        add("a");
        String takesThePlaceForAMoment = "/v1/types/mail/feed?feed=continuous&limit=1";
        Leaving client = get(protocol, "/v1/types/mail/feed?feed=continuous&since=now&heartbeat=" + LONG);
        await(() -> watches.openWatches() > 0);
        assertThat(server.get(takesThePlaceForAMoment).status()).isEqualTo(503);

        client.leave();

        await(() -> server.get(takesThePlaceForAMoment).status() == 200);
    }

    @ParameterizedTest
    @EnumSource
    void aWaitForClaims(Protocol protocol) throws IOException {
        String body = ("{'requestId': 'r', 'max': 1, 'wait': '" + LONG + "', 'worker': {'name': 'waiting', 'id': '"
                        + UUID.randomUUID() + "', 'types': ['mail']}}")
                .replace('\'', '"');
        HttpRequest request = HttpRequest.newBuilder(server.uri("/v1/work/claims?"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body.getBytes(StandardCharsets.UTF_8)))
                .build();
        Leaving client = protocol.ask(this, request, body);
        await(() -> watches.openWatches() > 0);
        await(() -> server.get("/v1/workers").body().toString().contains("waiting"));
        int waiting = watches.openWatches();

        client.leave();

        await(() -> watches.openWatches() < waiting);

        add("a");
        assertThat(server.jobs.getJobState(server.database, MAIL, "a").join()).isEqualTo(JobState.PENDING);
    }
}
