package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.server.TestServer.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The paths of a queue: each answer of each endpoint, and what producers and consumers see together. */
@Timeout(60)
class QueueTest {
    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    private static JsonNode success(Response response) {
        assertThat(response.status()).as(response.detail()).isEqualTo(200);
        assertThat(response.body().get("status").stringValue()).isEqualTo("success");
        return response.body();
    }

    private static String failure(Response response, int status) {
        assertThat(response.status()).as(response.detail()).isEqualTo(status);
        assertThat(response.header("Content-Type")).isEqualTo("application/json");
        assertThat(response.body().get("status").stringValue()).isEqualTo("failure");
        return response.body().get("message").stringValue();
    }

    private long register(String kind, String topic) {
        return success(server.post("/queue/" + kind + "/register", "{'topic': '" + topic + "'}"))
                .get(kind + "_id")
                .longValue();
    }

    private Response produce(String topic, long producer, String message) {
        return server.post(
                "/queue/producer/produce",
                "{'topic': '" + topic + "', 'producer_id': " + producer + ", 'message': '" + message + "'}");
    }

    private Response consume(String topic, long consumer) {
        return server.get("/queue/consumer/consume?topic=" + topic + "&consumer_id=" + consumer);
    }

    private Response size(String topic, long consumer) {
        return server.get("/queue/size?topic=" + topic + "&consumer_id=" + consumer);
    }

    private String message(String topic, long consumer) {
        return success(consume(topic, consumer)).get("message").stringValue();
    }

    @Test
    void topicsAreCreatedOnceAndListed() {
        assertThat(success(server.post("/queue/topics", "{'name': 'log'}"))
                        .get("message")
                        .stringValue())
                .contains("log");
        assertThat(failure(server.post("/queue/topics", "{'name': 'log'}"), 409))
                .contains("already");
        assertThat(failure(server.post("/queue/topics", "{'name': 'log', 'partitions': 2}"), 409))
                .contains("exists");
        assertThat(failure(server.post("/queue/topics", "{}"), 400)).contains("name is missing");
        success(server.post("/queue/topics?name=errors", ""));
        assertThat(success(server.get("/queue/topics")).get("topics").toString())
                .isEqualTo("[\"errors\",\"log\"]");
    }

    @Test
    void clientsRegister() {
        assertThat(failure(server.post("/queue/consumer/register", "{'topic': 'log'}"), 404))
                .contains("log");
        long producer = register("producer", "log");
        assertThat(producer).isPositive().isLessThan(1L << 53);
        assertThat(register("producer", "log")).isNotEqualTo(producer);
        assertThat(register("consumer", "log")).isPositive();
        assertThat(failure(server.post("/queue/producer/register", "{'topic': 'log', 'partition': 1}"), 400))
                .contains("no 1");
        assertThat(failure(server.post("/queue/consumer/register", "{'topic': 'log', 'partition': 1}"), 400))
                .contains("no 1");
        assertThat(success(server.get("/queue/topics")).get("topics").toString())
                .isEqualTo("[\"log\"]");
    }

    @Test
    void eachConsumerGetsAllMessages() {
        long producer = register("producer", "log");
        success(produce("log", producer, "a"));
        long first = register("consumer", "log");
        long second = register("consumer", "log");
        success(produce("log", producer, "b"));

        assertThat(success(size("log", first)).get("size").intValue()).isEqualTo(2);
        assertThat(message("log", first)).isEqualTo("a");
        assertThat(success(size("log", first)).get("size").intValue()).isEqualTo(1);
        // Requests with GET may have a body.
        String body = "{'topic': 'log', 'consumer_id': " + first + "}";
        assertThat(success(server.send(server.request("GET", "/queue/consumer/consume", body)))
                        .get("message")
                        .stringValue())
                .isEqualTo("b");
        assertThat(failure(consume("log", first), 404)).contains("all messages");
        assertThat(success(server.send(server.request("GET", "/queue/size", body)))
                        .get("size")
                        .intValue())
                .isZero();
        assertThat(message("log", second)).isEqualTo("a");
    }

    @Test
    void clientsThatAreNotRegisteredAreRefused() {
        long producer = register("producer", "log");
        long consumer = register("consumer", "log");
        register("producer", "errors");

        assertThat(failure(produce("log", 1, "a"), 404)).contains("producer 1");
        assertThat(failure(produce("errors", producer, "a"), 404)).contains("errors");
        assertThat(failure(produce("log", consumer, "a"), 404)).contains("producer");
        assertThat(failure(consume("log", 1), 404)).contains("consumer 1");
        assertThat(failure(consume("errors", consumer), 404)).contains("errors");
        assertThat(failure(size("log", producer), 404)).contains("consumer");
        assertThat(failure(server.get("/queue/size?topic=log"), 400)).contains("consumer_id");
        assertThat(failure(server.get("/queue/size?topic=log&consumer_id=x"), 400))
                .contains("consumer_id");
        assertThat(failure(server.get("/queue/nothing"), 404)).isNotEmpty();

        success(server.post("/queue/topics", "{'name': 'other'}"));
        server.delete("/v1/topics/log");
        failure(consume("log", consumer), 404);
        failure(produce("log", producer, "a"), 404);
        server.put("/v1/topics/log", "{'partitions': 1}");
        failure(consume("log", consumer), 404);
    }

    /** A registration as it is after 30 days without a use. */
    private void forget(String kind, long id) {
        forget(kind, id, true, true);
    }

    private void forget(String kind, long id, boolean byClock, boolean byVersions) {
        Subspace rows = server.serverRows.subspace(Tuple.from("queue", kind));
        Subspace due = server.serverRows.subspace(Tuple.from("queue_due", kind));
        server.database.run(tx -> {
            Tuple row = Tuple.fromBytes(tx.get(rows.pack(id)).join());
            long day = byClock ? 1 : row.getLong(3);
            long versions = byVersions ? -1 : row.getLong(4);
            tx.clear(due.pack(Tuple.from(row.getLong(4), id)));
            tx.set(due.pack(Tuple.from(versions, id)), new byte[0]);
            tx.set(
                    rows.pack(id),
                    Tuple.from(row.get(0), row.get(1), row.get(2), day, versions)
                            .pack());
            return id;
        });
    }

    @Test
    void aClockAheadOrAJumpOfTheVersionsRemovesNoRegistration() {
        success(server.post("/queue/topics", "{'name': 'log'}"));
        long byClock = register("consumer", "log");
        long byVersions = register("consumer", "log");
        forget("consumer", byClock, true, false);
        forget("consumer", byVersions, false, true);

        for (int i = 0; i < 3; i++) {
            register("consumer", "log");
        }

        long producer = register("producer", "log");
        success(produce("log", producer, "a"));
        assertThat(message("log", byClock)).isEqualTo("a");
        assertThat(message("log", byVersions)).isEqualTo("a");
    }

    @Test
    void aRegistrationThatIsNotUsedIsRemovedByALaterOne() {
        success(server.post("/queue/topics", "{'name': 'gone'}"));
        long ofNone = register("consumer", "gone");
        long producer = register("producer", "log");
        long consumer = register("consumer", "log");
        success(produce("log", producer, "a"));
        success(produce("log", producer, "b"));
        long usedProducer = register("producer", "log");
        long usedConsumer = register("consumer", "log");
        List.of(producer, usedProducer).forEach(id -> forget("producer", id));
        List.of(consumer, usedConsumer, ofNone).forEach(id -> forget("consumer", id));
        server.delete("/v1/topics/gone");
        success(produce("log", usedProducer, "c"));
        assertThat(message("log", usedConsumer)).isEqualTo("a");

        register("producer", "log");
        long last = register("consumer", "log");

        failure(produce("log", producer, "d"), 404);
        failure(consume("log", consumer), 404);
        success(produce("log", usedProducer, "d"));
        assertThat(message("log", usedConsumer)).isEqualTo("b");
        assertThat(server.get("/v1/topics/log/groups").body().get("items"))
                .extracting(JsonNode::stringValue)
                .containsExactlyInAnyOrder("queue-" + usedConsumer, "queue-" + last);
        int rows = server.database.run(tx -> tx.getRange(
                        server.serverRows.subspace(Tuple.from("queue")).range())
                .asList()
                .join()
                .size());
        assertThat(rows).isEqualTo(4);
    }

    @Test
    void clientsOfAPartitionUseIt() {
        success(server.post("/queue/topics", "{'name': 'log', 'partitions': 2}"));
        String registration = "{'topic': 'log', 'partition': 1}";
        long producer = success(server.post("/queue/producer/register", registration))
                .get("producer_id")
                .longValue();
        long consumer = success(server.post("/queue/consumer/register", registration))
                .get("consumer_id")
                .longValue();
        long other = register("producer", "log");
        success(produce("log", producer, "a"));
        success(server.post(
                "/queue/producer/produce",
                "{'topic': 'log', 'producer_id': " + other + ", 'message': 'b', 'partition': 0}"));

        assertThat(success(size("log", consumer)).get("size").intValue()).isEqualTo(1);
        assertThat(message("log", consumer)).isEqualTo("a");
        failure(consume("log", consumer), 404);
        assertThat(failure(server.get("/queue/size?topic=log&partition=0&consumer_id=" + consumer), 409))
                .contains("partition 1");
        long all = register("consumer", "log");
        assertThat(List.of(message("log", all), message("log", all))).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void aPageOfAnotherSiteConsumesNothing() {
        success(produce("log", register("producer", "log"), "a"));
        long consumer = register("consumer", "log");
        String path = "/queue/consumer/consume?topic=log&consumer_id=" + consumer;

        failure(server.get(path, "Sec-Fetch-Site", "cross-site"), 403);
        assertThat(server.send(server.request("HEAD", path, "")).status()).isEqualTo(405);
        assertThat(message("log", consumer)).isEqualTo("a");
    }

    @Test
    void onlyWhoMayOperateCreatesTopics() {
        try (TestServer limited =
                new TestServer(http -> http.authenticator(Authenticator.always(Access.of("jo", Role.WORK))))) {
            failure(limited.post("/queue/producer/register", "{'topic': 'log'}"), 404);
            failure(limited.post("/queue/topics", "{'name': 'log'}"), 403);
        }
    }

    /** The library's classes, as the assignment has them. */
    private final class Consumer {
        private final Map<String, Long> ids = new HashMap<>();

        Consumer(List<String> topics) {
            topics.forEach(topic -> ids.put(topic, register("consumer", topic)));
        }

        List<String> dequeueAll(String topic) {
            List<String> messages = new ArrayList<>();
            long id = Objects.requireNonNull(ids.get(topic));
            while (success(size(topic, id)).get("size").intValue() > 0) {
                messages.add(message(topic, id));
            }
            return messages;
        }
    }

    @Test
    void concurrentConsumersGetTheMessagesOfConcurrentProducersInOrder() {
        List<String> topics = List.of("log", "errors");
        topics.forEach(topic -> success(server.post("/queue/topics", "{'name': '" + topic + "'}")));
        CompletableFuture.allOf(IntStream.range(0, 3)
                        .mapToObj(number -> CompletableFuture.runAsync(() -> topics.forEach(topic -> {
                            long producer = register("producer", topic);
                            for (int i = 10; i < 20; i++) {
                                success(produce(topic, producer, number + " " + i));
                            }
                        })))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
        List<CompletableFuture<Consumer>> consumers = IntStream.range(0, 3)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> new Consumer(topics)))
                .toList();
        for (String topic : topics) {
            List<List<String>> read = consumers.stream()
                    .map(consumer -> consumer.thenApplyAsync(ready -> ready.dequeueAll(topic)))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
            assertThat(read.get(0)).hasSize(30);
            assertThat(read).allMatch(read.get(0)::equals);
            for (int number = 0; number < 3; number++) {
                String prefix = number + " ";
                assertThat(read.get(0).stream().filter(message -> message.startsWith(prefix)))
                        .hasSize(10)
                        .isSorted();
            }
        }
    }
}
