package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** What a caller with rights for some types may say of a job that it adds, by each member and on each way. */
@Timeout(60)
class AddingRightsTest {
    private static final String[] ADMIN = {"Roles", "ADMIN"};
    private static final String[] ADDER = {"Roles", "ADD,WORK", "Types", "mine"};

    /** Members by which a job touches nothing that is not of its own type, with a value. */
    private static final Map<String, String> OF_THE_TYPE = Map.ofEntries(
            Map.entry("id", "'i'"),
            Map.entry("data", "1"),
            Map.entry("dataBytes", "'MQ=='"),
            Map.entry("dataMediaType", "'text/plain'"),
            Map.entry("at", "'2030-01-01T00:00:00Z'"),
            Map.entry("priority", "1"),
            Map.entry("retry", "{'maxAttempts': 1}"),
            Map.entry("limitKey", "'k'"),
            Map.entry("turnKey", "'k'"),
            Map.entry("sequence", "'s'"),
            Map.entry("passesFailure", "true"),
            Map.entry("unique", "{'key': 'u'}"),
            Map.entry("startBefore", "'2050-01-01T00:00:00Z'"),
            Map.entry("tags", "['t']"),
            Map.entry("headers", "{'h': 'v'}"),
            Map.entry("onlyIf", "'absent'"));

    /** Members by which it touches what is of another type, or of none: of what is there, and of what is not. */
    private static final Map<String, List<String>> BEYOND = Map.of(
            "batch", List.of("'open'", "'missing'"),
            "after", after());

    private final TestServer server =
            new TestServer(http -> http.authenticator(request -> CompletableFuture.completedFuture(
                    RightsTest.accessOf(request.getHeader("Roles"), request.getHeader("Types")))));

    private static List<String> after() {
        List<String> values = new ArrayList<>();
        for (String policy : List.of("wait", "expect", "fail", "ignore")) {
            for (String id : List.of("there", "missing")) {
                values.add("[{'type': 'mine', 'id': 'first'}, {'type': 'other', 'id': '" + id + "', 'ifUnsuccessful': '"
                        + policy + "'}]");
            }
        }
        return values;
    }

    /** A way to add a job of the type "mine". */
    private record Way(String name, UnaryOperator<String> path, UnaryOperator<String> body) {}

    @AfterEach
    void close() {
        server.close();
    }

    private void addWhatIsThere() {
        server.post("/v1/types/other/jobs", "{'id': 'there', 'data': 1}", ADMIN);
        server.post("/v1/types/mine/jobs", "{'id': 'first', 'data': 1}", ADMIN);
        server.put("/v1/batches/open", "{'closing': {'type': 'other', 'id': 'c', 'data': 1}}", ADMIN);
    }

    private List<Way> ways() {
        List<Way> ways = new ArrayList<>();
        ways.add(new Way("addJob", any -> "/v1/types/mine/jobs", job -> job));
        ways.add(new Way("addJobs", any -> "/v1/jobs", job -> "{'jobs': [" + withType(job) + "]}"));
        for (String verb : List.of("update", "finish", "fail", "snooze", "cancel", "release")) {
            String more = switch (verb) {
                case "fail" -> ", 'error': {'type': 'Bad'}";
                case "snooze" -> ", 'time': 'PT1H'";
                case "cancel" -> ", 'reason': 'no'";
                default -> "";
            };
            ways.add(new Way(
                    verb,
                    id -> "/v1/work/types/mine/jobs/" + id + "/" + verb,
                    job -> "{'lock': '%s', 'jobs': [" + withType(job) + "]" + more + "}"));
        }
        return ways;
    }

    private static String withType(String job) {
        return "{'type': 'mine', " + job.substring(1);
    }

    private Response add(Way way, String job, String... caller) {
        if (!way.body().apply(job).contains("%s")) {
            return server.post(way.path().apply(""), way.body().apply(job), caller);
        }
        String target = UUID.randomUUID().toString();
        server.post("/v1/types/mine/jobs", "{'id': '" + target + "', 'data': 1, 'priority': 9}", ADMIN);
        JsonNode claim = server.post(
                        "/v1/work/claims",
                        "{'requestId': '" + UUID.randomUUID() + "', 'max': 1, 'wait': 'PT0S', 'worker': {'name': 'w',"
                                + " 'id': '" + UUID.randomUUID() + "', 'types': ['mine']}}",
                        ADMIN)
                .body()
                .get("claims")
                .get(0);
        return server.post(
                way.path().apply(claim.get("id").stringValue()),
                way.body().apply(job).replace("%s", claim.get("lock").stringValue()),
                caller);
    }

    private static String job(String member, String value) {
        String data = member.startsWith("data") && !member.equals("dataMediaType") ? "" : "'data': 1, ";
        return "{" + data + "'" + member + "': " + value + "}";
    }

    @Test
    void eachMemberOfAJobIsOfItsTypeOrNeedsMore() {
        JsonNode members = server.get("/openapi.json", ADMIN).body().at("/components/schemas/NewJobFields/properties");
        Set<String> known = new HashSet<>(OF_THE_TYPE.keySet());
        known.addAll(BEYOND.keySet());
        assertThat(members.propertyNames()).containsExactlyInAnyOrderElementsOf(known);
    }

    @Test
    void aCallerForSomeTypesTouchesNothingElseOnAnyWay() {
        addWhatIsThere();
        for (Way way : ways()) {
            BEYOND.forEach((member, values) -> values.forEach(value -> {
                Response reply = add(way, job(member, value), ADDER);
                assertThat(reply.problem())
                        .as(way.name() + " " + member + value)
                        .isEqualTo("forbidden");
                assertThat(reply.detail()).contains("use a token");
            }));
        }
        assertThat(server.get("/v1/batches/open", ADMIN).body().get("total").intValue())
                .isZero();
    }

    @Test
    void aCallerForSomeTypesSaysAllElse() {
        addWhatIsThere();
        OF_THE_TYPE.forEach((member, value) -> assertThat(
                        add(ways().get(0), job(member, value), ADDER).status())
                .as(member)
                .isIn(200, 201));
        String after = job("after", "[{'type': 'mine', 'id': 'first'}]");
        for (Way way : ways()) {
            assertThat(add(way, after, ADDER).status()).as(way.name()).isIn(200, 201);
        }
    }

    /** To read the other type is enough, and so is to add to it: that tells whether a job is there, too. */
    @Test
    void whoMayUseTheOthersNamesThem() {
        addWhatIsThere();
        for (Way way : ways()) {
            String there = job("after", "[{'type': 'other', 'id': 'there'}]");
            assertThat(add(way, there, "Roles", "ADD,WORK", "Types", "mine,other")
                            .status())
                    .isIn(200, 201);
            assertThat(add(way, there, "Roles", "ADD,WORK").status()).isIn(200, 201);
            assertThat(add(way, job("batch", "'open'"), "Roles", "ADD,WORK").status())
                    .isIn(200, 201);
        }
    }
}
