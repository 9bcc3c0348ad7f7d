package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The worker protocol (rfc/032). */
@Timeout(60)
class WorkTest {
    private static final String AT_ONCE = "PT0S";
    private static final String LONG = "PT30S";
    private static final int POLLS = 500;

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    /** A worker, as a client writes it. */
    private record Remote(String name, UUID id, String types) {
        static Remote of(String... types) {
            return new Remote("mailers", UUID.randomUUID(), "'" + String.join("', '", types) + "'");
        }

        String json() {
            return "{'name': '" + name + "', 'id': '" + id + "', 'types': [" + types + "], 'concurrency': 3}";
        }

        String claims(String requestId, int max, String wait) {
            return "{'requestId': '" + requestId + "', 'max': " + max + ", 'wait': '" + wait + "', 'worker': " + json()
                    + "}";
        }
    }

    private final Remote mailer = Remote.of("mail");

    private Response claim(Remote worker, String requestId, int max, String wait) {
        Response response = server.post("/v1/work/claims", worker.claims(requestId, max, wait));
        assertThat(response.status()).as(response.detail()).isEqualTo(200);
        return response;
    }

    private static List<JsonNode> claims(Response response) {
        List<JsonNode> claims = new ArrayList<>();
        response.body().get("claims").forEach(claims::add);
        return claims;
    }

    private static List<String> ids(Response response) {
        return claims(response).stream()
                .map(claim -> claim.get("id").stringValue())
                .toList();
    }

    private JsonNode claimOne() {
        List<JsonNode> claims = claims(claim(mailer, UUID.randomUUID().toString(), 1, LONG));
        assertThat(claims).hasSize(1);
        return claims.get(0);
    }

    private JsonNode added(String id) {
        add(id);
        return claimOne();
    }

    private void add(String id) {
        assertThat(server.post("/v1/types/mail/jobs", "{'id': '" + id + "', 'data': {'to': 'jo'}}")
                        .status())
                .isEqualTo(201);
    }

    private Response say(JsonNode claim, String verb, String body) {
        return server.post(
                "/v1/work/types/mail/jobs/" + claim.get("id").stringValue() + "/" + verb,
                "{'lock': '" + claim.get("lock").stringValue() + "'" + body + "}");
    }

    private static String state(Response response) {
        return response.body().path("state").asString("");
    }

    private JsonNode job(String type, String id) {
        return server.get("/v1/types/" + type + "/jobs/" + id).body();
    }

    /** {@return the states in which a job has been, by its feed: a claim that was given back is among them} */
    private List<String> statesOf(String id) {
        List<String> states = new ArrayList<>();
        server.get("/v1/types/mail/jobs/" + id + "/feed")
                .body()
                .get("results")
                .forEach(change -> states.add(change.get("state").stringValue()));
        return states;
    }

    private static void assertLost(Response response, String halt) {
        assertThat(response.status()).isEqualTo(409);
        assertThat(response.problem()).isEqualTo("lease-lost");
        assertThat(response.body().get("halt").stringValue()).isEqualTo(halt);
    }

    // Claims

    @Test
    void aClaimHasWhatAWorkerNeeds() {
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': {'to': 'jo'}, 'headers': {'trace': 'x'}}");

        JsonNode claim = claimOne();

        assertThat(claim.get("type").stringValue()).isEqualTo("mail");
        assertThat(claim.get("id").stringValue()).isEqualTo("a");
        assertThat(claim.get("attempt").intValue()).isEqualTo(1);
        assertThat(claim.get("timeout").stringValue()).isEqualTo("PT30S");
        assertThat(claim.get("data").toString()).isEqualTo("{\"to\":\"jo\"}");
        assertThat(claim.get("headers").toString()).isEqualTo("{\"trace\":\"x\"}");
        assertThat(claim.has("checkpoint")).isFalse();
        assertThat(job("mail", "a").get("state").stringValue()).isEqualTo("running");
    }

    @Test
    void anAttemptNamesItsWorker() {
        JsonNode claim = added("a");

        say(claim, "finish", "");

        assertThat(server.get("/v1/types/mail/jobs/a/attempts")
                        .body()
                        .get("items")
                        .get(0)
                        .get("by")
                        .stringValue())
                .isEqualTo("mailers/" + mailer.id().toString().substring(0, 8));
    }

    @Test
    void aCallWaitsForAJobOfAnyOfItsTypes() {
        CompletableFuture<Response> waiting = server.sendLater(
                "/v1/work/claims", Remote.of("post", "mail", "fax").claims("r", 5, LONG));
        listedWorkers(1);

        add("a");

        assertThat(ids(waiting.join())).containsExactly("a");
    }

    @Test
    void aCallForSeveralTypesTakesWhatIsThereAndNoMore() {
        add("a");
        add("b");
        server.post("/v1/types/post/jobs", "{'id': 'c', 'data': 1}");
        Remote worker = Remote.of("mail", "post");

        List<String> first = ids(claim(worker, "r1", 10, AT_ONCE));
        List<String> second = ids(claim(worker, "r2", 10, AT_ONCE));

        assertThat(first.size() + second.size()).isEqualTo(3);
        assertThat(ids(claim(worker, "r3", 10, AT_ONCE))).isEmpty();
        assertThat(ids(claim(worker, "r4", 10, "PT0.1S"))).isEmpty();
    }

    /** {@return as many workers as there are to be, without the server's own} */
    private List<JsonNode> listedWorkers(int count) {
        while (true) {
            List<JsonNode> workers = new ArrayList<>();
            server.get("/v1/workers?limit=1000").body().get("items").forEach(workers::add);
            workers.removeIf(worker -> worker.get("name").stringValue().equals("couch-jobs-server"));
            if (workers.size() == count) {
                return workers;
            }
        }
    }

    @Test
    void aRepeatedCallGetsTheSameClaims() {
        add("a");
        add("b");
        Response first = claim(mailer, "r1", 1, AT_ONCE);

        Response again = claim(mailer, "r1", 1, AT_ONCE);

        assertThat(again.body()).isEqualTo(first.body());
        assertThat(statesOf("b")).containsExactly("pending");
        assertThat(ids(claim(mailer, "r2", 1, AT_ONCE))).containsExactly("b");
    }

    @Test
    void aRepeatedCallGetsTheClaimsThatStillHoldAndDoesNotWait() {
        add("a");
        add("b");
        Response first = claim(mailer, "r1", 2, AT_ONCE);
        say(claims(first).get(0), "finish", "");

        Response again = server.post(
                "/v1/work/claims",
                mailer.claims("r1", 2, LONG).replace("'requestId'", "'repeated': true, 'requestId'"));

        assertThat(ids(again)).containsExactly("b");
    }

    @Test
    void callsThatAreRepeatedWhileTheyWaitGetTheSameClaims() {
        CompletableFuture<Response> first = server.sendLater("/v1/work/claims", mailer.claims("r1", 1, LONG));
        CompletableFuture<Response> second = server.sendLater("/v1/work/claims", mailer.claims("r1", 1, LONG));
        listedWorkers(1);

        add("a");
        add("b");

        assertThat(first.join().body()).isEqualTo(second.join().body());
        assertThat(server.get("/v1/types/mail/counts").body().get("running").intValue())
                .isEqualTo(1);
    }

    @Test
    void anotherServerRepeatsACallRenewsAClaimAndEndsIt() {
        add("a");
        Response first = claim(mailer, "r1", 1, AT_ONCE);
        try (TestServer other = server.another()) {
            Response again = other.post("/v1/work/claims", mailer.claims("r1", 1, LONG));
            assertThat(again.body()).isEqualTo(first.body());

            JsonNode claim = claims(again).get(0);
            Response heartbeat = other.post("/v1/work/heartbeats", heartbeat(claim));
            assertThat(results(heartbeat)).containsExactly("renewed");
            Response finished = other.post(
                    "/v1/work/types/mail/jobs/a/finish",
                    "{'lock': '" + claim.get("lock").stringValue() + "'}");
            assertThat(state(finished)).isEqualTo("finished");
        }
    }

    @Test
    void aWorkerThatHasGoneGetsNothing() throws IOException {
        byte[] body = mailer.claims("r1", 1, LONG).replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        try (Socket socket =
                new Socket(server.uri("/").getHost(), server.uri("/").getPort())) {
            String head =
                    "POST /v1/work/claims HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                            + body.length + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().write(body);
            listedWorkers(1);
        }

        add("a");

        Response claimed = claim(Remote.of("mail"), "r2", 1, "PT20S");
        assertThat(ids(claimed)).containsExactly("a");
        assertThat(claims(claimed).get(0).get("attempt").intValue()).isEqualTo(1);
    }

    @Test
    void aConnectionIsUsedAgainAfterAWaitAndWhatIsSentAheadIsServed() throws IOException {
        byte[] body = mailer.claims("r1", 1, LONG).replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        try (Socket socket =
                new Socket(server.uri("/").getHost(), server.uri("/").getPort())) {
            String head =
                    "POST /v1/work/claims HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                            + body.length + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().write(body);
            listedWorkers(1);
            String ahead = "GET /v1/types HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(ahead.getBytes(StandardCharsets.UTF_8));

            add("a");

            String replies = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(replies).contains("\"id\":\"a\"").contains("{\"items\":[\"mail\"]}");
        }
    }

    @Test
    void aClosingServerEndsTheWaits() {
        TestServer other = server.another();
        CompletableFuture<Response> waiting = other.sendLater("/v1/work/claims", mailer.claims("r1", 1, LONG));
        listedWorkers(1);

        other.close();

        assertThat(waiting.handle((response, error) -> true).join()).isTrue();
        add("a");
        assertThat(ids(claim(Remote.of("mail"), "r2", 1, "PT20S"))).containsExactly("a");
    }

    @Test
    void manyCallsWaitWithoutThreads() {
        List<CompletableFuture<Response>> waiting = new ArrayList<>();
        for (int i = 0; i < POLLS; i++) {
            waiting.add(server.sendLater("/v1/work/claims", Remote.of("mail").claims("r", 1, "PT50S")));
        }
        listedWorkers(POLLS);
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("couch-jobs-http"))
                .count();
        assertThat(threads).isLessThanOrEqualTo(64);

        for (int i = 0; i < POLLS; i += 100) {
            StringBuilder jobs = new StringBuilder();
            for (int j = i; j < i + 100; j++) {
                jobs.append(j > i ? "," : "").append("{'type': 'mail', 'id': 'j" + j + "', 'data': 1}");
            }
            server.post("/v1/jobs", "{'jobs': [" + jobs + "]}");
        }

        List<String> ids = new ArrayList<>();
        for (CompletableFuture<Response> each : waiting) {
            ids.addAll(ids(each.join()));
        }
        assertThat(ids).hasSize(POLLS).doesNotHaveDuplicates();
    }

    // Ends and reports

    @Test
    void oneCallEndsAJobWithAllThatBelongsToIt() {
        JsonNode claim = added("a");

        Response finished = say(
                claim,
                "finish",
                ", 'result': {'sent': true}, 'log': ['one', {'two': 2}], 'checkpoint': 7,"
                        + " 'progress': {'done': 3, 'total': 3, 'text': 'all'},"
                        + " 'jobs': [{'type': 'mail', 'id': 'next', 'data': 1}, {'type': 'post', 'id': 'p', 'data': 2}]");

        assertThat(state(finished)).isEqualTo("finished");
        assertThat(job("mail", "a").get("result").toString()).isEqualTo("{\"sent\":true}");
        JsonNode log = server.get("/v1/types/mail/jobs/a/log").body().get("items");
        assertThat(log).hasSize(3);
        assertThat(log.get(1).get("entry").toString()).isEqualTo("{\"two\":2}");
        assertThat(server.get("/v1/types/mail/jobs/a/progress")
                        .body()
                        .get("done")
                        .intValue())
                .isEqualTo(3);
        assertThat(job("mail", "next").get("state").stringValue()).isEqualTo("pending");
        assertThat(job("post", "p").get("state").stringValue()).isEqualTo("pending");
    }

    @Test
    void theReplySaysWhatBecomesOfTheDataOfARunningJob() {
        added("a");

        Response again = server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 2}");

        assertThat(again.body().get("change").stringValue()).isEqualTo("resubmitted");
        assertThat(again.body().get("givenData").stringValue()).isEqualTo("discarded");
        Response all = server.post("/v1/jobs", "{'jobs': [{'type': 'mail', 'id': 'a', 'data': 2}]}");
        assertThat(all.body().get("items").get(0).get("givenData").stringValue())
                .isEqualTo("discarded");
    }

    @Test
    void aProgressBeyondItsTotalIsRefusedWithAllOfItsCall() {
        JsonNode claim = added("a");

        for (String verb : List.of("update", "finish")) {
            Response reply = say(claim, verb, ", 'log': ['one'], 'progress': {'done': 200, 'total': 100}");

            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.body().get("detail").stringValue()).contains("this is 200 of 100");
        }
        assertThat(job("mail", "a").get("state").stringValue()).isEqualTo("running");
        assertThat(server.get("/v1/types/mail/jobs/a/log").body().get("items")).isEmpty();
    }

    @Test
    void nothingOfACallIsWrittenWithoutTheClaim() {
        JsonNode lost = added("a");
        say(lost, "release", "");
        claimOne();

        assertLost(
                say(lost, "finish", ", 'result': 1, 'log': ['x'], 'jobs': [{'type': 'mail', 'id': 'next', 'data': 1}]"),
                "lost");
        assertLost(say(lost, "update", ", 'jobs': [{'type': 'mail', 'id': 'next', 'data': 1}]"), "lost");

        assertThat(server.get("/v1/types/mail/jobs/next").status()).isEqualTo(404);
        assertThat(server.get("/v1/types/mail/jobs/a/log").body().get("items")).isEmpty();
        assertThat(job("mail", "a").get("state").stringValue()).isEqualTo("running");
    }

    @Test
    void nothingOfACallIsWrittenIfAPartOfItIsRefused() {
        JsonNode claim = added("a");

        Response refused = say(
                claim,
                "finish",
                ", 'log': ['x'], 'jobs': [{'type': 'mail', 'id': 'next', 'data': 1},"
                        + " {'type': 'mail', 'data': 1, 'after': [{'type': 'mail', 'id': 'unknown'}]}]");

        assertThat(refused.problem()).isEqualTo("dependency-not-found");
        assertThat(server.get("/v1/types/mail/jobs/next").status()).isEqualTo(404);
        assertThat(job("mail", "a").get("state").stringValue()).isEqualTo("running");
        assertThat(state(say(claim, "finish", ""))).isEqualTo("finished");
    }

    @Test
    void aRepeatedEndIsAnsweredAsTheFirst() {
        JsonNode finished = added("finished");
        JsonNode failed = added("failed");
        JsonNode snoozed = added("snoozed");
        JsonNode cancelled = added("cancelled");
        String jobs = ", 'jobs': [{'type': 'post', 'data': 1}]";
        for (int i = 0; i < 2; i++) {
            assertThat(state(say(finished, "finish", jobs))).isEqualTo("finished");
            assertThat(state(say(failed, "fail", jobs + ", 'error': {'type': 'E'}")))
                    .isEqualTo("pending");
            assertThat(state(say(snoozed, "snooze", jobs + ", 'time': 'PT1H'"))).isEqualTo("pending");
            assertThat(state(say(cancelled, "cancel", jobs + ", 'reason': 'enough'")))
                    .isEqualTo("finished");
        }
        JsonNode released = added("released");
        for (int i = 0; i < 2; i++) {
            assertThat(state(say(released, "release", jobs))).isEqualTo("pending");
        }
        assertThat(server.get("/v1/types/post/counts").body().get("total").intValue())
                .isEqualTo(5);
        assertLost(say(finished, "cancel", ""), "ended");
        assertLost(say(finished, "update", ""), "ended");
    }

    /** An end of a claim: the verb, and what its body says of the end. */
    private record End(String verb, String body) {}

    private static final List<End> ENDS = List.of(
            new End("finish", ""),
            new End("finish", ", 'result': 1"),
            new End("finish", ", 'result': 2"),
            new End("finish", ", 'resultBytes': 'AQ=='"),
            new End("finish", ", 'resultBytes': 'Ag=='"),
            new End("finish", ", 'resultBytes': 'AQ==', 'resultMediaType': 'image/png'"),
            new End("fail", ", 'error': {'type': 'E'}"),
            new End("fail", ", 'error': {'type': 'F'}"),
            new End("fail", ", 'error': {'type': 'E', 'message': 'no luck'}"),
            new End("fail", ", 'error': {'type': 'E', 'message': 'no luck', 'stack': 'main.py:7'}"),
            new End("fail", ", 'error': {'type': 'E', 'message': 'half of a character: \\ud83d'}"),
            new End("fail", ", 'error': {'type': 'E', 'stack': '" + "x".repeat(5_000) + "'}"),
            new End("fail", ", 'error': {'type': 'E', 'stack': '" + "y".repeat(5_000) + "'}"),
            new End("fail", ", 'error': {'type': 'E'}, 'retry': false"),
            new End("snooze", ", 'time': 'PT0S'"),
            new End("snooze", ", 'time': 'PT1H'"),
            new End("snooze", ", 'time': 'PT1H3S'"),
            new End("snooze", ", 'time': 'P1D'"),
            new End("cancel", ""),
            new End("cancel", ", 'reason': 'enough'"),
            new End("cancel", ", 'reason': 'enough of it'"),
            new End("release", ""));

    static Stream<End> ends() {
        return ENDS.stream();
    }

    /** {@return all ends with the verb of the first, and one with each other verb} */
    private static List<End> secondEnds(End first) {
        Set<String> verbs = new HashSet<>();
        return ENDS.stream()
                .filter(second -> verbs.add(second.verb()) || second.verb().equals(first.verb()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("ends")
    void ofTwoEndsOfAClaimTheFirstHoldsAndAnotherIsRefused(End first) {
        for (End second : secondEnds(first)) {
            JsonNode claim = added("a");
            Response ended = say(claim, first.verb(), first.body());
            Response other = say(claim, second.verb(), second.body());

            assertThat(ended.status()).isEqualTo(200);
            if (first.equals(second)) {
                assertThat(state(other)).isEqualTo(state(ended));
            } else {
                assertThat(other.status()).as(second.toString()).isEqualTo(409);
                assertLost(other, "ended");
            }
            server.delete("/v1/types/mail/jobs/a");
        }
    }

    /** The last attempt ends the job, whether the worker wants another one or not. */
    @Test
    void aRepeatedFailureOfTheLastAttemptIsAnsweredAsTheFirst() {
        String policy = ", 'policy': {'maxAttempts': 1}";
        JsonNode claim = added("a");
        for (int i = 0; i < 2; i++) {
            assertThat(state(say(claim, "fail", ", 'error': {'type': 'E'}" + policy)))
                    .isEqualTo("finished");
        }
        assertLost(say(claim, "fail", ", 'error': {'type': 'F'}" + policy), "ended");
    }

    /** A job that was run now has no time that would tell whether it was snoozed for as long. */
    @Test
    void aRepeatedFailureIsAnsweredWhenTheJobHasBeenRetriedButNoSnoozeIfItWasRun() {
        JsonNode failed = added("failed");
        String error = ", 'error': {'type': 'E'}, 'retry': false";
        assertThat(state(say(failed, "fail", error))).isEqualTo("finished");
        assertThat(server.post("/v1/types/mail/dead-letters/failed/retry", "").status())
                .isEqualTo(200);
        assertThat(state(say(failed, "fail", error))).isEqualTo("pending");
        server.delete("/v1/types/mail/jobs/failed");

        JsonNode snoozed = added("snoozed");
        say(snoozed, "snooze", ", 'time': 'PT1H'");
        assertThat(server.post("/v1/types/mail/jobs/snoozed/run-now", "").status())
                .isEqualTo(200);
        assertLost(say(snoozed, "snooze", ", 'time': 'PT1H'"), "ended");
    }

    @Test
    void aFailureHasItsTextAndTheRetryPolicyDecides() {
        JsonNode first = added("a");
        String error = ", 'error': {'type': 'ValueError', 'message': 'no luck', 'stack': 'main.py:7'}";
        assertThat(state(say(first, "fail", error + ", 'policy': {'initialDelay': 'PT0S'}")))
                .isEqualTo("pending");
        assertThat(job("mail", "a").get("lastAttempt").get("error").stringValue())
                .isEqualTo("ValueError: no luck\nmain.py:7");

        JsonNode second = claimOne();
        assertThat(second.get("attempt").intValue()).isEqualTo(2);
        assertThat(state(say(second, "fail", error + ", 'retry': false"))).isEqualTo("finished");
        assertThat(server.get("/v1/types/mail/dead-letters").body().get("items"))
                .hasSize(1);
    }

    @Test
    void theNextAttemptGetsTheCheckpoint() {
        JsonNode first = added("a");
        say(first, "update", ", 'checkpoint': {'at': 3}");
        say(first, "fail", ", 'error': {'type': 'E'}, 'policy': {'initialDelay': 'PT0S'}");

        assertThat(claimOne().get("checkpoint").toString()).isEqualTo("{\"at\":3}");
    }

    // Heartbeats

    private String heartbeat(JsonNode... claims) {
        List<String> held = new ArrayList<>();
        for (JsonNode claim : claims) {
            held.add("{'type': 'mail', 'id': '" + claim.get("id").stringValue() + "', 'lock': '"
                    + claim.get("lock").stringValue() + "'}");
        }
        return "{'worker': " + mailer.json() + ", 'claims': [" + String.join(", ", held) + "]}";
    }

    private static List<String> results(Response heartbeat) {
        List<String> results = new ArrayList<>();
        heartbeat
                .body()
                .get("claims")
                .forEach(claim -> results.add(claim.get("result").stringValue()));
        return results;
    }

    @Test
    void aHeartbeatSaysOfEachClaimWhetherItHolds() {
        JsonNode held = added("held");
        JsonNode cancelled = added("cancelled");
        JsonNode removed = added("removed");
        JsonNode ended = added("ended");
        JsonNode lost = added("lost");
        server.post("/v1/types/mail/jobs/cancelled/cancel", "");
        server.delete("/v1/types/mail/jobs/removed");
        say(ended, "finish", "");
        say(lost, "release", "");
        claimOne();

        Response response = server.post("/v1/work/heartbeats", heartbeat(held, cancelled, removed, ended, lost));

        assertThat(results(response)).containsExactly("renewed", "cancelled", "removed", "ended", "lost");
        assertThat(response.body().get("order").stringValue()).isEqualTo("run");
        assertLost(say(cancelled, "finish", ""), "cancelled");
        assertLost(say(removed, "finish", ""), "removed");
    }

    // Registration

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'name': '.', 'types': ['mail']",
                "'name': 'a\\nb', 'types': ['mail']",
                "'name': 'a', 'types': ['mail', '\\ud800']",
                "'name': 'a', 'types': ['LONG']",
                "'name': 'a', 'types': ['mail'], 'host': 'a\\nb'",
                "'name': 'a', 'types': ['mail'], 'version': '\\u2028'"
            })
    void aWorkerThatCannotBeListedIsRefused(String described) {
        String worker =
                "'worker': {'id': '" + UUID.randomUUID() + "', " + described.replace("LONG", "x".repeat(120_000)) + "}";
        for (Response refused : List.of(
                server.post("/v1/work/heartbeats", "{" + worker + ", 'claims': []}"),
                server.post(
                        "/v1/work/claims",
                        "{'requestId': 'r', 'max': 1, 'wait': '" + AT_ONCE + "', " + worker + "}"))) {
            assertThat(refused.status()).as(refused.detail()).isEqualTo(400);
        }
        assertThat(server.get("/v1/workers").body().get("items")).isEmpty();
    }

    @Test
    void aWorkerIsListedPausedDrainedAndEnds() {
        add("a");
        claim(mailer, "r0", 1, AT_ONCE);
        JsonNode listed = listedWorkers(1).get(0);
        assertThat(listed.get("name").stringValue()).isEqualTo("mailers");
        assertThat(listed.get("id").stringValue()).isEqualTo(mailer.id().toString());
        assertThat(listed.get("concurrency").intValue()).isEqualTo(3);

        server.post("/v1/workers/mailers/pause", "");
        add("b");
        Response quiet = claim(mailer, "r1", 1, LONG);
        assertThat(quiet.body().get("order").stringValue()).isEqualTo("quiet");
        assertThat(ids(quiet)).isEmpty();
        assertThat(server.post("/v1/work/heartbeats", heartbeat())
                        .body()
                        .get("order")
                        .stringValue())
                .isEqualTo("quiet");
        server.post("/v1/workers/mailers/resume", "");
        assertThat(ids(claim(mailer, "r2", 1, LONG))).containsExactly("b");

        server.post("/v1/workers/mailers/drain", "");
        add("c");
        assertThat(claim(mailer, "r3", 1, LONG).body().get("order").stringValue())
                .isEqualTo("drain");
        server.post("/v1/work/workers/end", "{'name': 'mailers', 'id': '" + mailer.id() + "'}");
        listedWorkers(0);
        assertThat(job("mail", "c").get("state").stringValue()).isEqualTo("pending");
    }

    @Test
    void aWorkerThatWaitsGetsNothingAfterAPause() {
        CompletableFuture<Response> waiting = server.sendLater("/v1/work/claims", mailer.claims("r1", 1, LONG));
        listedWorkers(1);
        server.post("/v1/workers/mailers/pause", "");

        add("a");

        assertThat(waiting.join().body().get("order").stringValue()).isEqualTo("quiet");
        assertThat(ids(waiting.join())).isEmpty();
        Remote other = new Remote("others", UUID.randomUUID(), "'mail'");
        assertThat(ids(claim(other, "r", 1, LONG))).containsExactly("a");
    }

    @Test
    void aWorkerThatWaitsLearnsOfOrdersAtOnce() {
        String wait = "PT300S"; // longer than the test may take
        try (TestServer other = server.another()) {
            for (String[] each : new String[][] {{"pause", "quiet"}, {"drain", "drain"}}) {
                CompletableFuture<Response> waiting =
                        server.sendLater("/v1/work/claims", mailer.claims("wait for " + each[0], 1, wait));
                listedWorkers(1);
                other.post("/v1/workers/mailers/" + each[0], "");
                assertThat(waiting.join().body().get("order").stringValue()).isEqualTo(each[1]);
                other.post("/v1/workers/mailers/resume", "");
            }
        }
    }

    @Test
    void aNameThatIsRefusedIsRefusedAgain() {
        for (int i = 0; i < 2; i++) {
            Response refused =
                    server.post("/v1/work/claims", Remote.of("mail", "\\ud800").claims("r", 1, LONG));
            assertThat(refused.status()).isEqualTo(400);
        }
        add("a");
        assertThat(ids(claim(mailer, "r", 1, AT_ONCE))).containsExactly("a");
    }

    // Roles

    @Test
    void aWorkerMayWorkOnItsTypesOnly() {
        try (TestServer limited = new TestServer(http -> http.authenticator(
                Authenticator.always(Access.of("worker", Role.WORK).onlyTypes("mail"))))) {
            assertThat(limited.post("/v1/work/claims", mailer.claims("r", 1, AT_ONCE))
                            .status())
                    .isEqualTo(200);
            assertThat(limited.post("/v1/work/claims", Remote.of("mail", "post").claims("r", 1, AT_ONCE))
                            .status())
                    .isEqualTo(403);
            String lock = "{'lock': '" + UUID.randomUUID() + "'";
            assertThat(limited.post("/v1/work/types/post/jobs/a/finish", lock + "}")
                            .status())
                    .isEqualTo(403);
            assertThat(limited.post(
                                    "/v1/work/types/mail/jobs/a/finish",
                                    lock + ", 'jobs': [{'type': 'post', 'data': 1}]}")
                            .status())
                    .isEqualTo(403);
            assertThat(limited.post("/v1/types/mail/jobs", "{'data': 1}").status())
                    .isEqualTo(403);
        }
    }

    @Test
    void aServerThatMayNotBeWorkedForRefuses() {
        try (TestServer reader = new TestServer(http -> http)) {
            assertThat(reader.post("/v1/work/claims", mailer.claims("r", 1, AT_ONCE))
                            .status())
                    .isEqualTo(403);
        }
    }
}
