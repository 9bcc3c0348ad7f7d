package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicConsumer;
import dev.couchjobs.topics.TopicSettings;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/** Topics over HTTP: what the library promises, as a client sees it. */
@Timeout(60)
class TopicsTest {
    private static final TestServer SERVER = TestServer.forEverything();
    private static final String NEWS = "/v1/topics/news";

    @BeforeEach
    void createTopic() {
        SERVER.delete(NEWS);
        assertThat(SERVER.put(NEWS, "{'partitions': 1}").status()).isEqualTo(200);
    }

    @AfterAll
    static void close() {
        SERVER.close();
    }

    private static Response append(String... values) {
        List<String> messages = new ArrayList<>();
        for (String value : values) {
            messages.add("{'value': '" + value + "'}");
        }
        return SERVER.post(NEWS + "/messages", "{'messages': [" + String.join(", ", messages) + "]}");
    }

    private static List<String> values(Response response) {
        List<String> values = new ArrayList<>();
        response.body()
                .get("items")
                .forEach(message -> values.add(message.get("value").stringValue()));
        return values;
    }

    @Test
    void messagesAreReadInOrderAndByPages() {
        append("a", "b");
        Response appended = append("c");

        Response page = SERVER.get(NEWS + "/partitions/0/messages?limit=2");
        assertThat(values(page)).containsExactly("a", "b");
        assertThat(page.body().get("end").booleanValue()).isFalse();
        String next = page.body().get("next").stringValue();
        Response rest = SERVER.get(NEWS + "/partitions/0/messages?from=" + next);
        assertThat(values(rest)).containsExactly("c");
        assertThat(rest.body().get("end").booleanValue()).isTrue();
        String offset = rest.body().get("items").get(0).get("offset").stringValue();
        int number = appended.body().get("items").get(0).get("number").intValue();
        assertThat(offset).isEqualTo(appended.header("Couch-Jobs-Sequence") + "%04x".formatted(number));
    }

    @Test
    void aRepeatedAppendWithTheSameKeyAppendsOnce() {
        for (int i = 0; i < 2; i++) {
            SERVER.post(NEWS + "/messages", "{'messages': [{'value': 'a'}]}", "Idempotency-Key", "k1");
        }

        assertThat(SERVER.get(NEWS).body().get("messages").intValue()).isEqualTo(1);
    }

    @Test
    void aReadWaitsForTheNextMessage() {
        CompletableFuture<Response> waiting =
                SERVER.sendLater(SERVER.request("GET", NEWS + "/partitions/0/messages?from=latest&wait=PT30S", ""));
        CompletableFuture<Response> group =
                SERVER.sendLater(SERVER.request("GET", NEWS + "/groups/readers/messages?wait=PT30S", ""));
        append("a");

        assertThat(values(group.join())).containsExactly("a");
        // Each read takes the end of the log when it begins, which may be after the append.
        while (!waiting.isDone()) {
            append("b");
        }
        assertThat(values(waiting.join())).isNotEmpty();
    }

    @Test
    void aPollOfLargeMessagesIsRepeatedToo() {
        String[] large = {"x".repeat(60_000), "y".repeat(150_000)};
        append(large);

        for (int i = 0; i < 2; i++) {
            Response polled = SERVER.post(NEWS + "/groups/readers/poll", "{}", "Idempotency-Key", "large");
            assertThat(values(polled)).containsExactly(large);
        }
        assertThat(values(SERVER.post(NEWS + "/groups/readers/poll", "{}"))).isEmpty();
    }

    @Test
    void aPollTakesMessagesOnce() {
        append("a", "b", "c");

        Response first = SERVER.post(NEWS + "/groups/readers/poll", "{'limit': 2}", "Idempotency-Key", "p1");
        Response again = SERVER.post(NEWS + "/groups/readers/poll", "{'limit': 2}", "Idempotency-Key", "p1");
        assertThat(values(first)).containsExactly("a", "b");
        assertThat(values(again)).containsExactly("a", "b");
        assertThat(values(SERVER.post(NEWS + "/groups/readers/poll", "{}"))).containsExactly("c");
        assertThat(values(SERVER.post(NEWS + "/groups/readers/poll", "{}"))).isEmpty();
    }

    @Test
    void whatIsReadIsConsumedWhenItIsCommitted() {
        append("a", "b", "c");
        Response first = SERVER.get(NEWS + "/groups/readers/messages?limit=2");
        Response second = SERVER.get(NEWS + "/groups/readers/messages?limit=1");

        assertThat(commit(first).status()).isEqualTo(204);
        assertThat(commit(first).status()).isEqualTo(204);
        assertThat(commit(second).problem()).isEqualTo("partition-lost");
        assertThat(values(SERVER.get(NEWS + "/groups/readers/messages"))).containsExactly("c");
        JsonNode group = SERVER.get(NEWS + "/groups/readers").body();
        assertThat(group.get("lag").intValue()).isEqualTo(1);
    }

    private static Response commit(Response page) {
        return SERVER.post(
                NEWS + "/groups/readers/commit",
                "{'cursor': '" + page.body().get("cursor").stringValue() + "'}");
    }

    @Test
    void aGroupIsMoved() {
        append("a");
        SERVER.put(NEWS + "/groups/readers", "{'from': 'latest'}");
        assertThat(values(SERVER.post(NEWS + "/groups/readers/poll", "{}"))).isEmpty();
        assertThat(SERVER.post(NEWS + "/groups/readers/seek", "{'to': 'earliest'}")
                        .status())
                .isEqualTo(204);
        assertThat(values(SERVER.post(NEWS + "/groups/readers/poll", "{}"))).containsExactly("a");
        assertThat(SERVER.get(NEWS + "/groups").body().get("items").toString()).isEqualTo("[\"readers\"]");
    }

    @Test
    void aGroupListsItsConsumers() {
        append("a");
        CompletableFuture<Boolean> handled = new CompletableFuture<>();
        try (TopicConsumer consumer = SERVER.topics
                .group(Topic.of("news", byte[].class), "readers")
                .consumer()
                .handle(messages -> handled.complete(true))
                .start()) {
            handled.join();
            JsonNode group = SERVER.get(NEWS + "/groups/readers").body();
            JsonNode member = group.get("members").get(0);
            assertThat(member.get("name").stringValue()).isEqualTo(consumer.name());
            assertThat(Duration.parse(member.get("silence").stringValue()))
                    .isBetween(Duration.ZERO, Duration.ofMinutes(1));
            assertThat(group.get("partitions").get(0).get("holder").stringValue())
                    .isEqualTo(consumer.name());
        }
        assertThat(SERVER.get(NEWS + "/groups/readers").body().get("members")).isEmpty();
    }

    @Test
    void messagesOfProgramsAreShownAsTheyAre() {
        Topic<byte[]> news = Topic.of("news", byte[].class);
        SERVER.topics
                .appendAll(
                        SERVER.database,
                        news,
                        List.of(
                                NewMessage.of(new byte[] {(byte) 0xFF, 1}),
                                NewMessage.of("{\"a\":1}".getBytes(java.nio.charset.StandardCharsets.UTF_8))
                                        .key("k")
                                        .header("h", "<b>")))
                .join();

        JsonNode items = SERVER.get(NEWS + "/partitions/0/messages").body().get("items");
        assertThat(items.get(0).get("bytes").stringValue()).isEqualTo("/wE=");
        assertThat(items.get(1).get("value").get("a").intValue()).isEqualTo(1);
        assertThat(items.get(1).get("key").stringValue()).isEqualTo("k");
        assertThat(items.get(1).get("headers").get("h").stringValue()).isEqualTo("<b>");
    }

    @Test
    void settingsAreChangedAndNeverToFewerPartitions() {
        Response changed = SERVER.put(NEWS, "{'partitions': 3, 'maxAge': 'P7D', 'maxBytes': 1000}");
        assertThat(changed.body().get("partitions").size()).isEqualTo(3);
        assertThat(changed.body().get("maxAge").stringValue()).isEqualTo("PT168H");
        assertThat(SERVER.put(NEWS, "{'partitions': 2}").problem()).isEqualTo("invalid-value");
        assertThat(SERVER.topics
                        .describe(SERVER.database, Topic.of("news", byte[].class))
                        .join()
                        .orElseThrow()
                        .settings()
                        .partitions())
                .isEqualTo(3);
        assertThat(TopicSettings.partitions(3).partitions()).isEqualTo(3);
    }

    @Test
    void whatIsNotThereIsNotFound() {
        assertThat(SERVER.get("/v1/topics/missing").status()).isEqualTo(404);
        assertThat(SERVER.get("/v1/topics/missing/partitions/0/messages").problem())
                .isEqualTo("not-found");
        assertThat(SERVER.post("/v1/topics/missing/messages", "{'messages': [{'value': 1}]}")
                        .status())
                .isEqualTo(404);
        assertThat(SERVER.get(NEWS + "/groups/missing").status()).isEqualTo(404);
        assertThat(SERVER.get(NEWS + "/partitions/1/messages").problem()).isEqualTo("invalid-value");
        assertThat(SERVER.post(NEWS + "/groups/readers/commit", "{'cursor': 'x'}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void aCompactedTopicKnowsTheLastMessageOfAKey() {
        String prices = "/v1/topics/prices";
        SERVER.delete(prices);
        SERVER.put(prices, "{'partitions': 4, 'compactAfter': 'PT1H'}");
        SERVER.post(
                prices + "/messages",
                "{'messages': [{'key': 'a/b', 'value': 1}, {'key': 'a/b', 'value': 2},"
                        + " {'key': 'c', 'value': 3}, {'key': 'c', 'deletion': true}]}");

        assertThat(SERVER.get(prices).body().get("compactAfter").stringValue()).isEqualTo("PT1H");
        assertThat(SERVER.get(prices + "/latest?key=a%2Fb").body().get("value").intValue())
                .isEqualTo(2);
        assertThat(SERVER.get(prices + "/latest?key=c").status()).isEqualTo(404);
        assertThat(SERVER.get(NEWS + "/latest?key=c").status()).isEqualTo(400);
        assertThat(SERVER.post(prices + "/messages", "{'messages': [{'value': 1}]}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void aTopicSaysWhichGroupsItWaitsFor() {
        assertThat(SERVER.put(NEWS, "{'partitions': 1, 'consumedBy': ['b', 'a']}")
                        .status())
                .isEqualTo(200);
        assertThat(SERVER.get(NEWS).body().get("consumedBy").toString()).isEqualTo("[\"a\",\"b\"]");
    }

    @Test
    void theLastMessageOfAnyKeyIsFound() {
        String prices = "/v1/topics/prices";
        SERVER.delete(prices);
        SERVER.put(prices, "{'partitions': 4, 'compactAfter': 'PT1H'}");
        List<String> keys = List.of(
                "",
                "\0",
                "a\0b",
                "\n",
                " ",
                "+",
                "%",
                "%2F",
                "/",
                "//",
                "\\",
                ".",
                "..",
                "../x",
                ";a=b",
                "?",
                "#",
                "&=",
                "\uD83D\uDCA9",
                "\u202E",
                "\uFFFF");
        for (String key : keys) {
            String json = StringNode.valueOf(key).toString();
            assertThat(SERVER.post(
                                    prices + "/messages",
                                    "{\"messages\": [{\"key\": " + json + ", \"value\": " + json + "}]}")
                            .status())
                    .isEqualTo(200);
        }
        assertThat(keys).allSatisfy(key -> {
            Response latest = SERVER.get(prices + "/latest?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8));
            assertThat(latest.status()).isEqualTo(200);
            assertThat(latest.body().get("value").stringValue()).isEqualTo(key);
        });
    }
}
