package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.server.TestServer.Response;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * A worker is killed after each of its requests: the server hears no more of it. Another worker ends the job, which has
 * then ended once, and has added one job.
 */
@Timeout(60)
class VanishedWorkersTest {
    private static final TestServer SERVER = TestServer.forEverything();

    @AfterAll
    static void close() {
        SERVER.close();
    }

    /** A worker that runs jobs of one type. */
    private record RemoteWorker(String id, String type) {
        private String identity() {
            return "{'name': 'w', 'id': '00000000-0000-4000-8000-00000000000" + id + "', 'types': ['" + type + "']}";
        }

        JsonNode claim(String requestId) {
            return SERVER.post(
                            "/v1/work/claims",
                            "{'requestId': '" + requestId + "', 'max': 1, 'wait': 'PT20S', 'worker': " + identity()
                                    + "}")
                    .body()
                    .get("claims")
                    .get(0);
        }

        private String path(JsonNode claim) {
            return "/v1/work/types/" + type + "/jobs/" + claim.get("id").stringValue();
        }

        private static String lock(JsonNode claim) {
            return "'lock': '" + claim.get("lock").stringValue() + "'";
        }

        void renew(JsonNode claim) {
            SERVER.post(
                    "/v1/work/heartbeats",
                    "{'claims': [{'type': '" + type + "', 'id': '"
                            + claim.get("id").stringValue() + "', " + lock(claim) + "}], 'worker': " + identity()
                            + "}");
        }

        void update(JsonNode claim) {
            SERVER.post(path(claim) + "/update", "{" + lock(claim) + ", 'progress': {'done': 1}, 'log': ['half']}");
        }

        Response finish(JsonNode claim) {
            return SERVER.post(
                    path(claim) + "/finish",
                    "{" + lock(claim) + ", 'result': 1, 'jobs': [{'type': 'effect-" + type + "', 'data': 1}]}");
        }
    }

    private static void setTimeout(String type, String timeout) {
        assertThat(SERVER.put("/v1/types/" + type + "/timeout", "{'timeout': '" + timeout + "'}")
                        .status())
                .isEqualTo(204);
    }

    private static JsonNode job(String type) {
        return SERVER.get("/v1/types/" + type + "/jobs/a").body();
    }

    private static void awaitPending(String type) {
        while (!job(type).get("state").stringValue().equals("pending")) {
            Polling.pause();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void anotherWorkerEndsTheJobOnce(int requests) {
        String type = "follow-" + requests;
        setTimeout(type, requests > 3 ? "PT10M" : "PT1S");
        SERVER.post("/v1/types/" + type + "/jobs", "{'id': 'a', 'data': 1, 'retry': {'initialDelay': 'PT0S'}}");
        RemoteWorker killed = new RemoteWorker("1", type);
        RemoteWorker other = new RemoteWorker("2", type);

        JsonNode lost = killed.claim(type + " first");
        if (requests > 1) {
            killed.renew(lost);
        }
        if (requests > 2) {
            killed.update(lost);
        }
        if (requests > 3) {
            killed.finish(lost);
        } else {
            awaitPending(type);
            setTimeout(type, "PT10M"); // the other worker takes as long as it takes
            assertThat(other.finish(other.claim(type + " second")).status()).isEqualTo(200);
            assertThat(killed.finish(lost).status()).isEqualTo(409); // it was only slow
        }

        assertThat(job(type).get("outcome").stringValue()).isEqualTo("succeeded");
        assertThat(SERVER.get("/v1/types/effect-" + type + "/counts")
                        .body()
                        .get("pending")
                        .intValue())
                .isEqualTo(1);
    }
}
