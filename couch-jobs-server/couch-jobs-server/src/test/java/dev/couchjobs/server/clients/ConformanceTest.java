package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.server.TestServer;
import dev.couchjobs.server.TestServer.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * What a user sees of a worker in another language, against a real server: the conformance suite of rfc/032. {@code
 * -Dconformance.command=...} runs it for another client.
 */
@ParameterizedClass
@MethodSource("dev.couchjobs.server.clients.ClientKit#all")
@Timeout(60)
@Tag("processes")
class ConformanceTest {
    /** Long enough for a busy machine, short enough to wait for. */
    private static final Map<String, String> TIMEOUTS = Map.of("slow", "PT3S", "wait", "PT3S", "lost", "PT1S");

    /** At least as many odd values, and errors, as a program has. */
    private static final int ODD = 40;

    @Parameter
    private ClientKit kit;

    private static TestServer server;
    private static ClientProcess program;

    @BeforeParameterizedClassInvocation
    static void start(ClientKit kit) {
        server = TestServer.forEverything();
        TIMEOUTS.forEach(
                (type, timeout) -> server.put("/v1/types/" + type + "/timeout", "{'timeout': '" + timeout + "'}"));
        program = ClientProcess.start(kit, kit.conformance(), server.uri("/"), "shared");
    }

    @AfterParameterizedClassInvocation
    static void close() {
        program.close();
        server.close();
    }

    private void add(String type, String id, String data) {
        Response added = server.post(
                "/v1/types/" + type + "/jobs",
                "{'id': '" + id + "', 'retry': {'initialDelay': 'PT0S'}, 'data': " + data + "}");
        assertThat(added.status()).as(added.detail()).isEqualTo(201);
    }

    /** {@return a job when it has ended} */
    private JsonNode ended(String type, String id) {
        while (true) {
            Response response = server.get("/v1/types/" + type + "/jobs/" + id + "/result?timeout=PT20S");
            if (response.status() == 200) {
                return response.body();
            }
            if (response.status() == 404) {
                throw new AssertionError("There is no such job: " + type + "/" + id);
            }
            if (!program.isAlive()) {
                throw new AssertionError("The program has ended: " + program.output());
            }
        }
    }

    private JsonNode job(String type, String id) {
        return server.get("/v1/types/" + type + "/jobs/" + id).body();
    }

    private JsonNode items(String path) {
        return server.get(path).body().get("items");
    }

    private void assertResult(JsonNode job, String json) {
        assertThat(job.get("outcome").stringValue())
                .as(job.path("error").asString(""))
                .isEqualTo("succeeded");
        assertThat(job.get("result").toString()).isEqualTo(json.replace('\'', '"'));
    }

    private static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Polling.pause();
        }
    }

    /** Until a handler runs: before that, the claim is on its way to the worker. */
    private void untilStarted(String type, String id) {
        until(() ->
                server.get("/v1/types/" + type + "/jobs/" + id + "/progress").status() == 200);
    }

    private void untilRunning(String type, String id) {
        until(() -> job(type, id).get("state").stringValue().equals("running"));
    }

    /** {@return what a handler has written when it was told to stop} */
    private JsonNode seen(String id) {
        until(() -> server.get("/v1/types/seen/jobs/" + id).status() == 200);
        return job("seen", id).get("data");
    }

    /** A program of its own, for tests that end or stop it. */
    private ClientProcess own(String worker) {
        return ClientProcess.start(kit, kit.conformance(), server.uri("/"), worker);
    }

    /** The program of the test gets the jobs, and not the shared one: its call that waits ends by a job. */
    private void pauseTheShared() {
        server.post("/v1/workers/shared/pause", "");
        server.post("/v1/types/echo/jobs", "{'data': 1}");
        until(() -> isListed("shared", "paused"));
    }

    private boolean isListed(String name, String state) {
        for (JsonNode worker : items("/v1/workers")) {
            if (worker.get("name").stringValue().equals(name)
                    && worker.get("state").stringValue().equals(state)) {
                return true;
            }
        }
        return false;
    }

    // What handlers do

    @Test
    void dataComesBackAsItWas() {
        String data = "{'text':'Grüße, 漢字 🚀 \\\\ \\u0000','list':[1,-2.5,true,null,{}],'':''}";
        add("echo", "echo", data);
        JsonNode job = ended("echo", "echo");
        assertResult(job, job.get("data").toString());
        assertThat(job.get("data").get("text").stringValue()).isEqualTo("Grüße, 漢字 🚀 \\ \0");
    }

    @Test
    void bytesComeBackAsTheyWere() {
        String bytes = "{'id': 'bytes', 'dataBytes': 'AP/ACg==', 'dataMediaType': 'image/png'}";
        assertThat(server.post("/v1/types/echo/jobs", bytes).status()).isEqualTo(201);
        JsonNode job = ended("echo", "bytes");
        assertThat(job.path("resultBytes").asString("")).as(job + "").isEqualTo("AP/ACg==");
        assertThat(job.path("resultMediaType").asString("")).isEqualTo("application/octet-stream");
    }

    @Test
    void idsMayContainAnything() {
        Response added = server.post("/v1/types/echo/jobs", "{'id': '../a b/%2F?#ä;+', 'data': 1}");
        assertThat(added.status()).isEqualTo(201);
        assertResult(ended("echo", "..%2Fa%20b%2F%252F%3F%23%C3%A4%3B+"), "1");
    }

    @Test
    void aMegabyteComesBack() {
        String text = "äb".repeat(350_000);
        add("echo", "large", "'" + text + "'");
        assertResult(ended("echo", "large"), "'" + text + "'");
    }

    @Test
    void aFailureIsTriedAgain() {
        add("fail-once", "a", "1");
        JsonNode job = ended("fail-once", "a");
        assertResult(job, "2");
        assertThat(job.get("failures").intValue()).isEqualTo(1);
        JsonNode first = items("/v1/types/fail-once/jobs/a/attempts").get(0);
        assertThat(first.get("end").stringValue()).isEqualTo("failed");
        assertThat(first.get("error").stringValue()).contains("Error: first").contains("conformance");
    }

    @Test
    void aPermanentFailureIsNotTriedAgain() {
        add("fail-forever", "a", "1");
        JsonNode job = ended("fail-forever", "a");
        assertThat(job.get("outcome").stringValue()).isEqualTo("failed");
        assertThat(job.get("error").stringValue()).startsWith("PermanentFailure: never");
        assertThat(job.get("claims").intValue()).isEqualTo(1);
    }

    @Test
    void aSnoozeIsNoFailure() {
        add("snooze", "a", "1");
        JsonNode job = ended("snooze", "a");
        assertResult(job, "'awake'");
        assertThat(job.get("claims").intValue()).isEqualTo(2);
        assertThat(job.get("failures").intValue()).isZero();
    }

    @Test
    void theNextAttemptGoesOnFromTheCheckpoint() {
        add("resume", "a", "{'steps': 4}");
        assertResult(ended("resume", "a"), "2");
        JsonNode log = items("/v1/types/resume/jobs/a/log");
        StringBuilder steps = new StringBuilder();
        log.forEach(entry -> steps.append(entry.get("entry")));
        assertThat(steps).hasToString("{\"step\":0}1{\"step\":1}2{\"step\":2}3{\"step\":3}4");
        JsonNode progress = server.get("/v1/types/resume/jobs/a/progress").body();
        assertThat(progress.get("done").intValue()).isEqualTo(4);
        assertThat(progress.get("total").intValue()).isEqualTo(4);
    }

    @Test
    void aJobIsFollowedByAnother() {
        add("follow", "a", "{'type': 'echo', 'id': 'followed', 'data': ['x']}");
        assertResult(ended("follow", "a"), "'followed'");
        assertResult(ended("echo", "followed"), "['x']");
    }

    @Test
    void aHandlerMayTakeLongerThanTheTimeout() {
        add("slow", "a", "{'millis': 4000}");
        JsonNode job = ended("slow", "a");
        assertResult(job, "'slow'");
        assertThat(job.get("claims").intValue()).isEqualTo(1);
    }

    @Test
    void jobsRunAtTheSameTime() {
        for (int i = 0; i < 4; i++) {
            add("together", "t" + i, "4");
        }
        for (int i = 0; i < 4; i++) {
            assertResult(ended("together", "t" + i), "'together'");
        }
    }

    @Test
    void aHandlerCancelsItsJob() {
        add("give-up", "a", "1");
        JsonNode job = ended("give-up", "a");
        assertThat(job.get("outcome").stringValue()).isEqualTo("cancelled");
        assertThat(job.get("error").stringValue()).isEqualTo("enough");
    }

    @Test
    void aResultThatIsTooLargeFailsTheJob() {
        add("outcome", "too-large", "{'as': 'text', 'length': 5000000}");
        JsonNode job = ended("outcome", "too-large");
        assertThat(job.get("outcome").stringValue()).isEqualTo("failed");
        assertThat(job.get("error").stringValue()).contains("The result cannot be stored", "413");
        assertThat(job.get("claims").intValue()).isEqualTo(1);
    }

    @Test
    void eachOddOutcomeIsAFailure() {
        for (String kind : List.of("odd-value", "odd-error", "odd-argument")) {
            for (int n = 0; n < ODD; n++) {
                String job = "{'id': '%s%d', 'retry': {'maxAttempts': 1}, 'data': {'as': '%s', 'n': %d}}";
                assertThat(server.post("/v1/types/outcome/jobs", job.formatted(kind, n, kind, n))
                                .status())
                        .isEqualTo(201);
            }
            for (int n = 0; n < ODD; n++) {
                JsonNode job = ended("outcome", kind + n);
                assertThat(job.get("claims").intValue()).as(job.toString()).isEqualTo(1);
                if (n == 0 || !job.path("result").asString("").equals("no more")) {
                    assertThat(job.get("outcome").stringValue())
                            .as(job.toString())
                            .isEqualTo("failed");
                }
            }
        }
    }

    @Test
    void aHandlerMayBeAPlainFunction() {
        add("plain", "plain", "'as it is'");
        assertResult(ended("plain", "plain"), "'as it is'");
    }

    // What others do to a worker

    @Test
    void aHandlerLearnsThatItsJobIsCancelled() {
        add("wait", "cancelled", "1");
        untilStarted("wait", "cancelled");
        server.post("/v1/types/wait/jobs/cancelled/cancel", "{'reason': 'not wanted'}");
        assertThat(seen("cancelled").stringValue()).isEqualTo("cancelled");
        assertThat(job("wait", "cancelled").get("outcome").stringValue()).isEqualTo("cancelled");
    }

    @Test
    void aHandlerLearnsThatItsJobIsRemoved() {
        add("wait", "removed", "1");
        untilStarted("wait", "removed");
        server.delete("/v1/types/wait/jobs/removed");
        assertThat(seen("removed").stringValue()).isEqualTo("removed");
    }

    @Test
    void nothingIsWrittenUnderALostClaim() {
        pauseTheShared();
        try (ClientProcess own = own("own")) {
            add("lost", "a", "1");
            untilRunning("lost", "a");
            own.signal("STOP");
            until(() -> items("/v1/types/lost/jobs/a/attempts").toString().contains("expired"));
            own.signal("CONT");
            assertThat(seen("a").booleanValue()).isTrue();
        } finally {
            server.post("/v1/workers/shared/resume", "");
        }
        assertResult(ended("lost", "a"), "'again'");
        assertThat(server.get("/v1/types/never/jobs/a").status()).isEqualTo(404);
    }

    @Test
    void aPausedWorkerClaimsNothingUntilItIsResumed() {
        pauseTheShared();
        add("echo", "while-paused", "1");
        assertThat(server.get("/v1/types/echo/jobs/while-paused/result?timeout=PT1S")
                        .status())
                .isEqualTo(202);
        server.post("/v1/workers/shared/resume", "");
        assertResult(ended("echo", "while-paused"), "1");
    }

    // The end

    @Test
    void aWorkerThatIsToldToEndFinishesOrReleasesWhatItRuns() {
        pauseTheShared();
        try (ClientProcess own = own("ending")) {
            add("wait", "endless", "1");
            add("slow", "short", "{'millis': 700}");
            untilStarted("wait", "endless");
            untilStarted("slow", "short");

            own.signal("TERM");

            assertThat(own.awaitExit()).as(own.output()).isZero();
            assertResult(job("slow", "short"), "'slow'");
            assertThat(seen("endless").stringValue()).isEqualTo("shutdown");
            JsonNode released = job("wait", "endless");
            assertThat(released.get("state").stringValue()).isEqualTo("pending");
            assertThat(released.get("failures").intValue()).isZero();
            assertThat(items("/v1/workers").toString()).doesNotContain("ending");
        } finally {
            server.delete("/v1/types/wait/jobs/endless");
            server.post("/v1/workers/shared/resume", "");
        }
    }

    @Test
    void aDrainedWorkerEnds() {
        pauseTheShared();
        try (ClientProcess own = own("drained")) {
            add("slow", "before", "{'millis': 700}");
            untilStarted("slow", "before");
            assertThat(items("/v1/workers").toString()).contains("drained");

            server.post("/v1/workers/drained/drain", "");

            assertThat(own.awaitExit()).as(own.output()).isZero();
            assertResult(job("slow", "before"), "'slow'");
        } finally {
            server.post("/v1/workers/shared/resume", "");
        }
    }

    // The package

    @Test
    void theTestsOfTheClientPass() {
        if (kit.unitTests().isEmpty()) {
            return;
        }
        try (ClientProcess tests = ClientProcess.start(kit, kit.unitTests(), server.uri("/"), "tests")) {
            assertThat(tests.awaitExit()).as(tests.output()).isZero();
        }
    }

    @Test
    void theExampleOfThePageWorks() throws IOException {
        for (Path page : kit.readme()) {
            try (ClientProcess example = ClientProcess.start(kit, kit.example(page, 0), server.uri("/"), "example")) {
                until(() -> server.get("/v1/types/mail/jobs/first").status() == 200 || !example.isAlive());
                assertThat(example.isAlive()).as(example.output()).isTrue();
                assertResult(ended("mail", "first"), "{'sent':true}");
                until(() -> items("/v1/types/receipt/jobs?state=finished").size() == 1);
                example.signal("TERM");
                assertThat(example.awaitExit()).as(example.output()).isZero();
            }
        }
    }
}
