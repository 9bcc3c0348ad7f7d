package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What callers may do by their roles, on each way to it. */
@Timeout(60)
class RightsTest {
    /** The caller's roles, for all types or for some, are what it says. */
    private final TestServer server = new TestServer(http -> http.authenticator(request ->
            CompletableFuture.completedFuture(accessOf(request.getHeader("Roles"), request.getHeader("Types")))));

    /** {@return the access of a caller who says what it may do} */
    static Optional<Access> accessOf(String roleNames, @Nullable String types) {
        Role[] roles = Arrays.stream(roleNames.split(","))
                .map(role -> Role.valueOf(role.toUpperCase(Locale.ROOT)))
                .toArray(Role[]::new);
        Access access = Access.of("x", roles);
        return Optional.of(types == null ? access : access.onlyTypes(types.split(",")));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private int add(String type, String... caller) {
        return server.post("/v1/types/" + type + "/jobs", "{'data': 1}", caller).status();
    }

    private int addAll(String type, String... caller) {
        return server.post("/v1/jobs", "{'jobs': [{'type': '" + type + "', 'data': 1}]}", caller)
                .status();
    }

    /** Claims a job, and ends it or reports of it in such a way with a job that follows. {@return the status} */
    private int follow(String verb, String type, String... caller) {
        server.post("/v1/types/mail/jobs", "{'data': 1}", "Roles", "admin");
        Response claimed = server.post(
                "/v1/work/claims",
                "{'requestId': '" + UUID.randomUUID() + "', 'max': 1, 'wait': 'PT0S', 'worker': {'name': 'w', 'id': '"
                        + UUID.randomUUID() + "', 'types': ['mail'], 'concurrency': 1}}",
                caller);
        assertThat(claimed.status()).as(claimed.detail()).isEqualTo(200);
        JsonNode claim = claimed.body().get("claims").get(0);
        String more = switch (verb) {
            case "fail" -> ", 'error': {'type': 'Bad'}";
            case "snooze" -> ", 'time': 'PT1H'";
            case "cancel" -> ", 'reason': 'no'";
            default -> "";
        };
        return server.post(
                        "/v1/work/types/mail/jobs/" + claim.get("id").stringValue() + "/" + verb,
                        "{'lock': '" + claim.get("lock").stringValue() + "', 'jobs': [{'type': '" + type
                                + "', 'data': 1}]" + more + "}",
                        caller)
                .status();
    }

    @Test
    void jobsAreAddedByWhoeverMayAddJobsOfTheirType() {
        assertThat(add("mail", "Roles", "add")).isEqualTo(201);
        assertThat(add("mail", "Roles", "operate")).isEqualTo(201);
        assertThat(add("mail", "Roles", "add", "Types", "mail")).isEqualTo(201);
        assertThat(add("mail", "Roles", "add", "Types", "other")).isEqualTo(403);
        assertThat(add("mail", "Roles", "work,read")).isEqualTo(403);
        assertThat(addAll("mail", "Roles", "add", "Types", "mail")).isEqualTo(200);
        assertThat(addAll("mail", "Roles", "add", "Types", "other")).isEqualTo(403);
        assertThat(addAll("mail", "Roles", "work,read")).isEqualTo(403);
        assertThat(server.delete("/v1/types/mail/jobs/x", "Roles", "add").status())
                .isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"update", "finish", "fail", "snooze", "cancel", "release"})
    void jobsThatFollowAreAddedByWhoeverMayAddJobsOfTheirType(String verb) {
        assertThat(follow(verb, "mail", "Roles", "work")).isEqualTo(403);
        assertThat(follow(verb, "mail", "Roles", "work,add", "Types", "mail")).isEqualTo(200);
        assertThat(follow(verb, "other", "Roles", "work,add", "Types", "mail")).isEqualTo(403);
        assertThat(follow(verb, "other", "Roles", "work,operate")).isEqualTo(200);
    }

    /** A selection is a job of the server's own. */
    @ParameterizedTest
    @ValueSource(strings = {"selection", "couch-jobs.selection"})
    void nobodyStartsASelectionByAddingAJob(String type) {
        server.post("/v1/types/mail/jobs", "{'id': 'victim', 'data': 1}", "Roles", "admin");
        String selection = "{'type': 'mail', 'action': 'remove', 'where': {}}";
        server.post("/v1/types/" + type + "/jobs", "{'id': 'a', 'data': " + selection + "}", "Roles", "add");
        String started = server.post("/v1/types/mail/selections", "{'action': 'count'}", "Roles", "operate")
                .body()
                .get("id")
                .stringValue();

        assertThat(server.awaitSelection("mail", started, "Roles", "admin")
                        .body()
                        .get("applied")
                        .intValue())
                .isEqualTo(1);
        assertThat(server.get("/v1/types/" + type + "/jobs/a", "Roles", "admin")
                        .body()
                        .get("state")
                        .stringValue())
                .isEqualTo("pending");
        assertThat(server.get("/v1/types/" + type + "/jobs/" + started, "Roles", "admin")
                        .status())
                .isEqualTo(404);
    }

    /** A caller that drained it would end all selections. */
    @Test
    void theServersOwnWorkerIsNotAmongTheUsers() {
        String started = server.post("/v1/types/mail/selections", "{'action': 'count'}", "Roles", "operate")
                .body()
                .get("id")
                .stringValue();
        server.awaitSelection("mail", started, "Roles", "admin");

        assertThat(server.get("/v1/workers", "Roles", "admin").body().get("items"))
                .isEmpty();
        assertThat(server.get("/v1/types", "Roles", "admin").body().toString()).doesNotContain("selection");
    }
}
