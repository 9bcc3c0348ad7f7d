package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * A server is killed at each of its commits, before and after it takes effect, while a client creates a topic, appends,
 * and consumes. The client repeats what got no reply. Afterwards the log has each message once, and the group has
 * consumed each once, in order.
 */
@Tag("long")
@Timeout(120)
@Tag("processes")
class TopicsKilledAtEachCommitTest {
    /** The creation of the topic is the fourth; after it come an append, a poll, an append and a commit. */
    private static final int LAST = 8;

    private static final String ORDERS = "/v1/topics/orders";

    @TempDir
    private Path directory;

    private int keys;

    static Stream<Arguments> commits() {
        return IntStream.rangeClosed(1, LAST)
                .boxed()
                .flatMap(number -> Stream.of(Arguments.of(number, false), Arguments.of(number, true)));
    }

    /** Repeats a write, with its key, until there is a reply. */
    private HttpResponse<byte[]> write(KillableServer server, String method, String path, String body) {
        HttpRequest request = server.request(method, path, body)
                .header("Idempotency-Key", "key-" + keys++)
                .build();
        HttpResponse<byte[]> response = server.send(request);
        assertThat(response.statusCode()).as(path).isIn(200, 204);
        return response;
    }

    private static List<String> values(JsonNode page) {
        List<String> values = new ArrayList<>();
        page.get("items").forEach(message -> values.add(message.get("value").stringValue()));
        return values;
    }

    @ParameterizedTest
    @MethodSource("commits")
    void eachMessageIsThereOnceAndConsumedOnce(int fatal, boolean takesEffect) {
        assertThatEachMessageIsThereOnceAndConsumedOnce(new ServerWithin(directory), fatal, takesEffect);
    }

    @Test
    void eachMessageIsConsumedOnceWhenAProcessIsKilled() {
        assertThatEachMessageIsThereOnceAndConsumedOnce(new ServerProcess(directory), LAST - 2, true);
    }

    private void assertThatEachMessageIsThereOnceAndConsumedOnce(
            KillableServer killed, int fatal, boolean takesEffect) {
        try (KillableServer server = killed) {
            server.startHalting(fatal, takesEffect);
            write(server, "PUT", ORDERS, "{'partitions': 1}");
            write(server, "POST", ORDERS + "/messages", "{'messages': [{'value': 'a'}, {'value': 'b'}]}");
            List<String> consumed = new ArrayList<>();
            consumed.addAll(values(
                    KillableServer.json(write(server, "POST", ORDERS + "/groups/packers/poll", "{'limit': 1}"))));
            write(server, "POST", ORDERS + "/messages", "{'messages': [{'value': 'c'}]}");
            JsonNode page = server.get(ORDERS + "/groups/packers/messages");
            consumed.addAll(values(page));
            // Without a key: the cursor is one.
            server.json(
                    "POST",
                    ORDERS + "/groups/packers/commit",
                    "{'cursor': '" + page.get("cursor").stringValue() + "'}");

            assertThat(values(server.get(ORDERS + "/partitions/0/messages"))).containsExactly("a", "b", "c");
            assertThat(consumed).containsExactly("a", "b", "c");
            assertThat(server.get(ORDERS + "/groups/packers").get("lag").intValue())
                    .isZero();
            assertThat(server.halts()).isEqualTo(1);
        }
    }
}
