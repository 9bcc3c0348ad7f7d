package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Clients follow the messages of topics as server-sent events. */
@Timeout(60)
class MessageStreamTest {
    private static final String NEWS = "/v1/topics/news";
    private static final String ALL = NEWS + "/messages";

    private final TestServer server = TestServer.forEverything();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeEach
    void createTopic() {
        assertThat(server.put(NEWS, "{'partitions': 3}").status()).isEqualTo(200);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void append(int partition, int... values) {
        List<String> messages = new ArrayList<>();
        for (int value : values) {
            messages.add("{'value': " + value + ", 'partition': " + partition + "}");
        }
        Response appended = server.post(ALL, "{'messages': [" + String.join(", ", messages) + "]}");
        assertThat(appended.status()).as(appended.detail()).isEqualTo(200);
    }

    /** An event: an id, and a message if it has one. */
    private record Event(String id, JsonNode message) {
        int value() {
            return message.get("value").intValue();
        }
    }

    /** A client of a stream. */
    private final class Stream implements AutoCloseable {
        private final BufferedReader reader;

        Stream(String path, String... headers) throws IOException, InterruptedException {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(server.uri(path)).header("Accept", "text/event-stream");
            if (headers.length > 0) {
                request.headers(headers);
            }
            HttpResponse<InputStream> response =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("Content-Type").orElseThrow())
                    .startsWith("text/event-stream");
            reader = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
        }

        /** {@return the next event} */
        Event next() throws IOException {
            String id = "";
            String data = "null";
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("data: ")) {
                    data = line.substring(6);
                } else if (line.isEmpty() && !id.isEmpty()) {
                    return new Event(id, JsonMapper.shared().readTree(data));
                }
            }
            throw new IOException("the stream has ended");
        }

        List<Event> next(int count) throws IOException {
            List<Event> events = new ArrayList<>();
            while (events.size() < count) {
                events.add(next());
            }
            return events;
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }

    private static List<Integer> values(List<Event> events) {
        return events.stream().map(Event::value).toList();
    }

    @Test
    void aStreamGoesOnWithMessagesAsTheyCome() throws Exception {
        append(1, 1, 2);
        try (Stream stream = new Stream(NEWS + "/partitions/1/messages")) {
            assertThat(values(stream.next(2))).containsExactly(1, 2);
            append(0, 7);
            append(1, 3);
            Event event = stream.next();
            assertThat(event.value()).isEqualTo(3);
            assertThat(event.id()).isEqualTo(event.message().get("offset").stringValue());
        }
    }

    @Test
    void aClientGoesOnBehindEachEventWithoutAGapOrADouble() throws Exception {
        for (String path : List.of(NEWS + "/partitions/0/messages", ALL)) {
            server.delete(NEWS);
            createTopic();
            append(0, 1, 2, 3);
            append(0, 4, 5);
            List<Event> events;
            try (Stream stream = new Stream(path)) {
                events = stream.next(5);
            }
            for (int i = 0; i < 5; i++) {
                try (Stream stream = new Stream(
                        path + "?limit=" + (5 - i),
                        "Last-Event-ID",
                        i == 0 ? "" : events.get(i - 1).id())) {
                    assertThat(values(stream.next(5 - i))).isEqualTo(values(events.subList(i, 5)));
                    // It has got as many as it wanted.
                    assertThat(stream.reader.readLine()).isNull();
                }
            }
        }
    }

    @Test
    void theMessagesOfAllPartitionsComeInTheOrderOfTheirCommits() throws Exception {
        List<Integer> appended = new ArrayList<>();
        for (int value = 0; value < 500; value++) {
            // Partition 0 has far more than a page of the others.
            append(value % 10 == 9 ? 1 + value % 2 : 0, value);
            appended.add(value);
        }
        String id;
        try (Stream stream = new Stream(ALL)) {
            List<Event> events = stream.next(500);
            assertThat(values(events)).isEqualTo(appended);
            id = events.get(233).id();
            append(2, 500);
            assertThat(stream.next().value()).isEqualTo(500);
        }
        try (Stream stream = new Stream(ALL, "Last-Event-ID", id)) {
            assertThat(values(stream.next(267))).startsWith(234).endsWith(500).hasSize(267);
        }
        List<Integer> paged = new ArrayList<>();
        for (JsonNode page = json("?limit=50"); ; page = json("?limit=50&from=" + next(page))) {
            page.get("items").forEach(item -> paged.add(item.get("value").intValue()));
            if (page.get("end").booleanValue()) {
                break;
            }
        }
        assertThat(paged).startsWith(0).endsWith(500).hasSize(501).isSorted();
    }

    private JsonNode json(String query) {
        return server.get(ALL + query).body();
    }

    private static String next(JsonNode page) {
        return page.get("next").stringValue();
    }

    @Test
    void manyPartitionsWithLargeMessagesMakeNoLargePage() throws Exception {
        server.put(NEWS, "{'partitions': 30}");
        String megabyte = "x".repeat(1_000_000);
        for (int value = 0; value < 30; value++) {
            // The order of the commits is not that of the partitions.
            int partition = value * 7 % 30;
            Response appended = server.post(
                    ALL,
                    "{'messages': [{'value': '" + value + megabyte + "', 'partition': " + partition + "}, {'value': '"
                            + value + "', 'partition': " + partition + "}]}");
            assertThat(appended.status()).as(appended.detail()).isEqualTo(200);
        }
        List<String> paged = new ArrayList<>();
        String query = "?limit=1000";
        while (true) {
            Response response = server.get(ALL + query);
            assertThat(response.http().body()).hasSizeLessThan(3_000_000);
            JsonNode page = response.body();
            page.get("items").forEach(item -> paged.add(begin(item)));
            if (page.get("end").booleanValue()) {
                break;
            }
            query = "?limit=1000&from=" + next(page);
        }
        List<String> streamed = new ArrayList<>();
        try (Stream stream = new Stream(ALL)) {
            stream.next(60).forEach(event -> streamed.add(begin(event.message())));
        }
        List<String> appended =
                IntStream.range(0, 60).mapToObj(i -> String.valueOf(i / 2)).toList();
        assertThat(paged).isEqualTo(appended);
        assertThat(streamed).isEqualTo(appended);
    }

    private static String begin(JsonNode message) {
        String value = message.get("value").stringValue();
        return value.length() > 2 ? value.substring(0, value.indexOf('x')) : value;
    }

    /** A group consumes all messages, and the topic keeps none of them. */
    private void removeAll() {
        Topic<byte[]> news = Topic.of("news", byte[].class);
        TopicSettings settings = TopicSettings.partitions(3).untilConsumedBy("readers");
        server.topics.change(server.database, news, settings).join();
        // Leaves a mark, up to which the next one removes.
        sweep(news, Duration.ofMinutes(5));
        server.topics.group(news, "readers").poll(server.database, 100).join();
        sweep(news, Duration.ofMinutes(10));
        assertThat(server.get(NEWS).body().get("messages").intValue()).isZero();
    }

    private void sweep(Topic<byte[]> topic, Duration ahead) {
        server.topicsOfClockAhead(ahead).sweep(server.database, topic).join();
    }

    @Test
    void aClientWhoseNextMessagesAreRemovedIsTold() throws Exception {
        for (String path : List.of(NEWS + "/partitions/0/messages", ALL)) {
            server.delete(NEWS);
            createTopic();
            append(0, 1, 2, 3);
            List<Event> events;
            try (Stream stream = new Stream(path)) {
                events = stream.next(3);
            }
            removeAll();
            append(0, 4);

            JsonNode page = server.get(path + "?from=" + events.get(0).id()).body();
            assertThat(page.get("trimmedTo").stringValue())
                    .isEqualTo(events.get(2).id());
            assertThat(page.get("items").get(0).get("value").intValue()).isEqualTo(4);
            for (String position : List.of(events.get(2).id(), "earliest")) {
                assertThat(server.get(path + "?from=" + position).body().has("trimmedTo"))
                        .isFalse();
            }
            try (Stream stream = new Stream(path, "Last-Event-ID", events.get(0).id())) {
                assertThat(stream.reader.readLine()).isEqualTo(":");
                assertThat(stream.reader.readLine()).isEmpty();
                assertThat(stream.reader.readLine()).isEqualTo("event: trimmed");
                assertThat(stream.reader.readLine())
                        .isEqualTo("data: {\"trimmedTo\": \"" + events.get(2).id() + "\"}");
                assertThat(stream.reader.readLine()).isEmpty();
                assertThat(stream.next().value()).isEqualTo(4);
            }
            try (Stream stream = new Stream(path, "Last-Event-ID", events.get(2).id())) {
                assertThat(stream.reader.readLine()).isEqualTo(":");
                assertThat(stream.reader.readLine()).isEmpty();
                assertThat(stream.reader.readLine()).startsWith("id: ");
            }
        }
    }

    @Test
    void aPollWhoseMessagesAreRemovedDoesNotWait() {
        append(0, 1, 2, 3);
        String first = server.get(ALL + "?limit=1").body().get("next").stringValue();
        removeAll();

        for (String path : List.of(NEWS + "/partitions/0/messages", ALL)) {
            JsonNode page = server.get(path + "?wait=PT1M&from=" + first).body();
            assertThat(page.get("items")).isEmpty();
            assertThat(page.get("trimmedTo").stringValue()).isEqualTo(next(page));
        }
    }

    @Test
    void aClientThatBeginsAtTheEndMissesNothingWhenItsConnectionBreaks() throws Exception {
        append(0, 1);
        for (String path : List.of(NEWS + "/partitions/0/messages?from=latest", ALL + "?from=latest")) {
            String id;
            try (Stream stream = new Stream(path)) {
                Event begin = stream.next();
                assertThat(begin.message().isNull()).isTrue();
                id = begin.id();
            }
            append(0, 2);
            try (Stream stream = new Stream(path, "Last-Event-ID", id)) {
                assertThat(stream.next().value()).isEqualTo(2);
            }
        }
    }

    @Test
    void aSilentStreamShowsThatItLives() throws Exception {
        try (Stream stream = new Stream(ALL + "?from=latest&heartbeat=PT0.01S")) {
            int signs = 0;
            while (signs < 5) {
                signs += stream.reader.readLine().equals(":") ? 1 : 0;
            }
        }
    }

    @Test
    void aStreamEndsWhenTheServerCloses() throws Exception {
        HttpResponse<InputStream> response;
        try (TestServer other = server.another()) {
            HttpRequest request = HttpRequest.newBuilder(other.uri(ALL))
                    .header("Accept", "text/event-stream")
                    .build();
            response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        }
        // An end, and no broken connection.
        assertThat(new String(response.body().readAllBytes(), StandardCharsets.UTF_8))
                .startsWith(":\n\n");
    }

    @Test
    void whatIsNotThereIsNotFollowed() {
        String[] accept = {"Accept", "text/event-stream"};
        assertThat(server.get("/v1/topics/missing/messages", accept).problem()).isEqualTo("not-found");
        assertThat(server.get(NEWS + "/partitions/3/messages", accept).problem())
                .isEqualTo("invalid-value");
    }

    @Test
    void aServerHasRoomForSomeStreams() throws Exception {
        try (TestServer small = new TestServer(
                http -> http.feedClients(1).authenticator(Authenticator.always(Access.of("test", Role.ADMIN))))) {
            small.put(NEWS, "{'partitions': 1}");
            HttpRequest request = small.request("GET", ALL, "", "Accept", "text/event-stream");
            try (InputStream stream = client.send(request, HttpResponse.BodyHandlers.ofInputStream())
                    .body()) {
                assertThat(stream.read()).isEqualTo(':');
                assertThat(small.get(ALL, "Accept", "text/event-stream").problem())
                        .isEqualTo("too-many-feeds");
                assertThat(small.get(ALL).status()).isEqualTo(200);
            }
        }
    }
}
