package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.server.TestServer.Response;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Clients follow changes. */
@Timeout(60)
class FeedTest {
    private static final JobType<Object, Object> MAIL = JobType.of("mail", Object.class, Object.class);

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    private void add(String... ids) {
        for (String id : ids) {
            server.jobs.add(server.database, MAIL, id, 1).join();
        }
    }

    private static List<String> ids(JsonNode results) {
        List<String> ids = new ArrayList<>();
        results.forEach(row -> ids.add(row.get("id").stringValue()));
        return ids;
    }

    @Test
    void aPageGoesOnWhereTheLastOneEnded() {
        add("a", "b");
        Response first = server.get("/v1/types/mail/feed");
        assertThat(ids(first.body().get("results"))).containsExactly("a", "b");
        add("c");
        String since = first.body().get("last_seq").stringValue();
        Response second = server.get("/v1/types/mail/feed?since=" + since);
        assertThat(ids(second.body().get("results"))).containsExactly("c");
        assertThat(second.body().get("results").get(0).get("state").stringValue())
                .isEqualTo("pending");
        assertThat(ids(server.get("/v1/feed?since=" + since).body().get("results")))
                .containsExactly("c");
        assertThat(server.get("/v1/feed?since=now").body().get("results")).isEmpty();
    }

    @Test
    void aFeedOfOneJobTellsOnlyItsChanges() {
        add("a", "b");
        server.post("/v1/types/mail/jobs/a/cancel", "");
        JsonNode results = server.get("/v1/types/mail/jobs/a/feed").body().get("results");
        assertThat(ids(results)).containsExactly("a", "a");
        assertThat(results.get(1).get("state").stringValue()).isEqualTo("finished");
    }

    @Test
    void aLongPollWaitsForAChange() {
        add("a");
        CompletableFuture<Response> poll = CompletableFuture.supplyAsync(
                () -> server.get("/v1/types/mail/feed?feed=longpoll&since=now&timeout=PT30S"));
        // The poll sees one of these: it is not said whether it comes before the first.
        while (!poll.isDone()) {
            add("b" + System.nanoTime());
        }
        assertThat(poll.join().body().get("results")).isNotEmpty();
        assertThat(server.get("/v1/types/mail/feed?feed=longpoll&since=now&timeout=PT0S")
                        .body()
                        .get("results"))
                .isEmpty();
    }

    @Test
    void oneClientGoesOnAfterEachEventOfAnother() throws Exception {
        List<NewJob<Object>> together = IntStream.range(0, 5)
                .mapToObj(i -> NewJob.of(MAIL, (Object) i).id("t" + i))
                .toList();
        add("a");
        server.jobs.addAll(server.database, together).join();
        add("b");
        List<String> all = List.of("a", "t0", "t1", "t2", "t3", "t4", "b");
        List<JsonNode> told = lines("/v1/types/mail/feed?feed=continuous&limit=7");
        assertThat(told.subList(0, 7).stream().map(row -> row.get("id").stringValue()))
                .containsExactlyInAnyOrderElementsOf(all);
        for (int i = 0; i < 6; i++) {
            if (!told.get(i).get("seq").isNull()) {
                String rest =
                        "/v1/types/mail/feed?since=" + told.get(i).get("seq").stringValue();
                assertThat(ids(server.get(rest).body().get("results")))
                        .as("after %s", told.get(i))
                        .hasSize(6 - i);
            }
        }
    }

    private List<JsonNode> lines(String path) throws IOException, InterruptedException {
        List<JsonNode> lines = new ArrayList<>();
        try (BufferedReader reader = open(path)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (!line.isEmpty()) {
                    lines.add(JsonMapper.shared().readTree(line));
                }
            }
        }
        return lines;
    }

    private BufferedReader open(String path, String... headers) throws IOException, InterruptedException {
        URI uri = server.uri(path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpResponse<InputStream> response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    private static List<String> read(BufferedReader reader, int lines) throws IOException {
        List<String> read = new ArrayList<>();
        while (read.size() < lines) {
            String line = reader.readLine();
            if (!line.isEmpty() && !line.equals(":")) {
                read.add(line);
            }
        }
        return read;
    }

    @Test
    void aBrowserGoesOnWhereItsConnectionBroke() throws Exception {
        add("a");
        String id;
        try (BufferedReader events = open("/v1/feed", "Accept", "text/event-stream")) {
            List<String> first = read(events, 2);
            id = first.get(0);
            assertThat(id).startsWith("id: ");
            assertThat(first.get(1)).startsWith("data: ").contains("\"id\":\"a\"");
            add("b");
            assertThat(read(events, 2).get(1)).contains("\"id\":\"b\"");
        }
        try (BufferedReader events =
                open("/v1/feed", "Accept", "text/event-stream", "Last-Event-ID", id.substring(4))) {
            assertThat(read(events, 2).get(1)).contains("\"id\":\"b\"");
        }
    }

    @Test
    void aSilentFeedShowsThatItLives() throws Exception {
        try (BufferedReader lines = open("/v1/feed?feed=continuous&since=now&heartbeat=PT0.01S")) {
            for (int i = 0; i < 5; i++) {
                assertThat(lines.readLine()).isEmpty();
            }
        }
    }

    @Test
    void aCallerThatAsksForTheHeadOfAFeedTakesNoPlace() {
        try (TestServer small = new TestServer(http -> http.feedClients(1))) {
            small.jobs.add(small.database, MAIL, "a", 1).join();
            for (int i = 0; i < 3; i++) {
                assertThat(small.send(small.request("HEAD", "/v1/feed?feed=continuous", ""))
                                .status())
                        .isEqualTo(200);
            }
            Response lines = small.get("/v1/feed?feed=continuous&limit=1");
            assertThat(lines.status()).isEqualTo(200);
            assertThat(new String(lines.http().body(), StandardCharsets.UTF_8)).contains("\"id\":\"a\"");
        }
    }

    @Test
    void aCallerSeesTheTypesThatItMay() {
        try (TestServer limited = new TestServer(http -> http.authenticator(
                Authenticator.always(Access.of("jo", Role.READ).onlyTypes("mail"))))) {
            limited.jobs.add(limited.database, MAIL, "a", 1).join();
            limited.jobs
                    .add(limited.database, JobType.of("secret", Object.class), "s", 1)
                    .join();
            assertThat(ids(limited.get("/v1/feed").body().get("results"))).containsExactly("a");
            assertThat(limited.get("/v1/types/secret/feed").status()).isEqualTo(403);
        }
    }

    @Test
    void aPageHasAsManyChangesAsAreWanted() {
        for (int i = 0; i < 6; i++) {
            add("j" + i);
        }
        List<String> told = new ArrayList<>();
        String since = "0";
        for (int page = 0; page < 3; page++) {
            JsonNode body =
                    server.get("/v1/types/mail/feed?limit=2&since=" + since).body();
            assertThat(body.get("results")).hasSize(2);
            assertThat(body.get("more").booleanValue()).isEqualTo(page < 2);
            told.addAll(ids(body.get("results")));
            since = body.get("last_seq").stringValue();
        }
        assertThat(told).containsExactly("j0", "j1", "j2", "j3", "j4", "j5");
    }
}
