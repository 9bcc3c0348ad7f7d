package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** What a caller may do by the work protocol that may work on some types: nothing with workers and jobs of others. */
@Timeout(60)
class WorkRightsTest {
    private static final String MINE = "mine";
    private static final String OTHER = "other";

    /** The caller works on the types that it names. */
    private final TestServer server = new TestServer(http -> http.authenticator(
            request -> CompletableFuture.completedFuture(Optional.of(access(request.getHeader("Types"))))));

    private static Access access(String types) {
        return types == null
                ? Access.of("everyone", Role.ADMIN)
                : Access.of("worker", Role.WORK).onlyTypes(types.split(","));
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** A worker as a caller describes it, and a claim that it holds. */
    private record Held(String worker, String id, String job, String lock) {}

    private static String worker(String name, String id, String type) {
        return "'worker': {'name': '" + name + "', 'id': '" + id + "', 'types': ['" + type + "']}";
    }

    private Response claim(String name, String id, String type, String... caller) {
        return server.post(
                "/v1/work/claims",
                "{'requestId': '" + UUID.randomUUID() + "', 'max': 1, 'wait': 'PT0S', " + worker(name, id, type) + "}",
                caller);
    }

    /** {@return a worker of a type that holds a job} */
    private Held held(String type) {
        String id = UUID.randomUUID().toString();
        server.post("/v1/types/" + type + "/jobs", "{'data': 1}");
        JsonNode claim = claim("w", id, type).body().get("claims").get(0);
        return new Held(
                "w", id, claim.get("id").stringValue(), claim.get("lock").stringValue());
    }

    /** A request of each operation, about a worker and its job of a type. */
    private static Map<String, String> requests(Held held, String type) {
        String lock = "'lock': '" + held.lock() + "'";
        return Map.of(
                "claimJobs", "{'requestId': 'r', 'max': 1, 'wait': 'PT0S', " + worker("w", held.id(), type) + "}",
                "renewClaims",
                        "{'claims': [{'type': '" + type + "', 'id': '" + held.job() + "', " + lock + "}], "
                                + worker("w", held.id(), type) + "}",
                "endWorker", "{'name': 'w', 'id': '" + held.id() + "'}",
                "updateClaim", "{" + lock + "}",
                "finishClaim", "{" + lock + "}",
                "failClaim", "{" + lock + ", 'error': {'type': 'Bad'}}",
                "snoozeClaim", "{" + lock + ", 'time': 'PT1H'}",
                "cancelClaim", "{" + lock + "}",
                "releaseClaim", "{" + lock + "}");
    }

    private List<DocumentedApi.Operation> operations() {
        return new DocumentedApi(server.get("/openapi.json").body())
                .operations().stream()
                        .filter(operation -> operation.path().startsWith("/v1/work/"))
                        .toList();
    }

    private Response send(DocumentedApi.Operation operation, Held held, String type, String... caller) {
        String path = operation.path().replace("{type}", type).replace("{id}", held.job());
        String body = Objects.requireNonNull(requests(held, type).get(operation.id()), operation.id());
        return server.send(server.request(operation.method(), path, body, caller));
    }

    private List<String> workers() {
        return server.jobs.workers().list(server.database, dev.couchjobs.PageRequest.of(10)).join().items().stream()
                .map(worker -> worker.types().toString())
                .toList();
    }

    @Test
    void noOperationConcernsWorkersAndJobsOfOtherTypes() {
        Held held = held(OTHER);
        assertThat(operations())
                .extracting(DocumentedApi.Operation::id)
                .containsExactlyInAnyOrderElementsOf(requests(held, OTHER).keySet());
        for (DocumentedApi.Operation operation : operations()) {
            assertThat(send(operation, held, OTHER, "Types", MINE).problem())
                    .as(operation.id())
                    .isEqualTo("forbidden");
        }
        assertThat(workers()).containsExactly("[" + OTHER + "]");
    }

    @Test
    void eachOperationConcernsWorkersAndJobsOfTheTypesOfTheCaller() {
        for (DocumentedApi.Operation operation : operations()) {
            Response reply = send(operation, held(MINE), MINE, "Types", MINE);
            assertThat(reply.status()).as(operation.id() + " " + reply.detail()).isIn(200, 204);
        }
    }

    /** It would be another's worker from then on. */
    @Test
    void nobodyTakesTheNameAndIdOfAWorkerOfOtherTypes() {
        Held held = held(OTHER);
        String[] caller = {"Types", MINE};
        assertThat(claim("w", held.id(), MINE, caller).problem()).isEqualTo("forbidden");
        assertThat(claim("another", held.id(), MINE, caller).problem()).isEqualTo("forbidden");
        assertThat(server.post("/v1/work/heartbeats", "{'claims': [], " + worker("w", held.id(), MINE) + "}", caller)
                        .problem())
                .isEqualTo("forbidden");
        assertThat(server.post("/v1/work/workers/end", "{'name': 'another', 'id': '" + held.id() + "'}", caller)
                        .problem())
                .isEqualTo("forbidden");
        assertThat(workers()).containsExactly("[" + OTHER + "]");
        String both = String.join(",", Arrays.asList(MINE, OTHER));
        assertThat(claim("w", held.id(), MINE, "Types", both).status()).isEqualTo(200);
    }
}
