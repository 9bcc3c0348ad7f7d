package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
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
 * A server is killed at each of its commits, before and after it takes effect, while a client works through a job:
 * adds it, claims it, reports, and finishes it with a job that follows. The client repeats what got no reply.
 * Afterwards there is that job alone; it has ended once, and has added one job.
 */
@Tag("long")
@Timeout(120)
@Tag("processes")
class KilledAtEachCommitTest {
    /** Of the path of a job; the server has some before these, and one or two more or less by its timers. */
    private static final int FIRST = 4;

    private static final int LAST = 12;

    private static final String CLAIM = "{'requestId': '%s', 'max': 1, 'wait': 'PT5S', 'worker': {'name': 'w',"
            + " 'id': '00000000-0000-4000-8000-000000000001', 'types': ['follow']}}";

    @TempDir
    private Path directory;

    private int keys;

    static Stream<Arguments> commits() {
        return IntStream.rangeClosed(FIRST, LAST)
                .boxed()
                .flatMap(number -> Stream.of(Arguments.of(number, false), Arguments.of(number, true)));
    }

    /** Repeats a request, with its key, until there is a reply. */
    private HttpResponse<byte[]> send(KillableServer server, String method, String path, String body) {
        HttpRequest.Builder request = server.request(method, path, body);
        if (!method.equals("GET") && !path.endsWith("claims")) {
            request.header("Idempotency-Key", "key-" + keys++);
        }
        return server.send(request.build());
    }

    @ParameterizedTest
    @MethodSource("commits")
    void theJobEndsOnceAndAddsOneJob(int fatal, boolean takesEffect) {
        assertThatTheJobEndsOnceAndAddsOneJob(new ServerWithin(directory), fatal, takesEffect);
    }

    @Test
    void theJobEndsOnceWhenAProcessIsKilled() {
        assertThatTheJobEndsOnceAndAddsOneJob(new ServerProcess(directory), (FIRST + LAST) / 2, true);
    }

    private void assertThatTheJobEndsOnceAndAddsOneJob(KillableServer killed, int fatal, boolean takesEffect) {
        try (KillableServer server = killed) {
            server.startHalting(fatal, takesEffect);
            send(server, "PUT", "/v1/types/follow/timeout", "{'timeout': 'PT1S'}");
            send(server, "POST", "/v1/types/follow/jobs", "{'data': 1, 'retry': {'initialDelay': 'PT0S'}}");
            String job = "";
            for (int attempt = 0; job.isEmpty(); attempt++) {
                JsonNode claims = KillableServer.json(
                                send(server, "POST", "/v1/work/claims", CLAIM.formatted("claim-" + attempt)))
                        .get("claims");
                if (!claims.isEmpty() && finish(server, claims.get(0))) {
                    job = claims.get(0).get("id").stringValue();
                }
            }

            JsonNode ended = server.get("/v1/types/follow/jobs/" + job);
            assertThat(ended.get("outcome").stringValue()).isEqualTo("succeeded");
            assertThat(server.get("/v1/types/effect/counts").get("pending").intValue())
                    .isEqualTo(1);
            JsonNode counts = server.get("/v1/types/follow/counts");
            assertThat(counts.get("succeeded").intValue()).isEqualTo(1);
            assertThat(counts.get("pending").intValue()).isZero();
            assertThat(server.halts()).isLessThanOrEqualTo(1);
        }
    }

    /** {@return false if the claim was lost meanwhile} */
    private boolean finish(KillableServer server, JsonNode claim) {
        String path = "/v1/work/types/follow/jobs/" + claim.get("id").stringValue();
        String lock = "{'lock': '" + claim.get("lock").stringValue() + "', ";
        send(server, "POST", path + "/update", lock + "'progress': {'done': 1}, 'log': ['half']}");
        HttpResponse<byte[]> finished =
                send(server, "POST", path + "/finish", lock + "'result': 1, 'jobs': [{'type': 'effect', 'data': 1}]}");
        assertThat(finished.statusCode()).isIn(200, 204, 409);
        return finished.statusCode() != 409;
    }
}
