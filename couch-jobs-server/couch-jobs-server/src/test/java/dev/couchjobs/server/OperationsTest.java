package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.PageRequest;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.QuarantinedRow;
import dev.couchjobs.Worker;
import dev.couchjobs.server.DocumentedApi.Operation;
import dev.couchjobs.server.TestServer.Response;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** Every operation of the document, with valid and with invalid input: the running server does what it says. */
@Timeout(60)
class OperationsTest {
    private static final JobType<Object, Object> MAIL = JobType.of("mail", Object.class, Object.class);

    private static final String JOB = "{'data': {'to': 'jo'}, 'at': '2030-01-31T08:00:00Z', 'priority': 3,"
            + " 'retry': {'maxAttempts': 3, 'initialDelay': 'PT1S'}, 'limitKey': 'tenant', 'tags': ['t'], 'headers': {'trace': 'x'}}";

    private static final String WORKER =
            "{'name': 'mailers', 'id': '00000000-0000-4000-8000-000000000001', 'types': ['mail']}";

    /** The body of each operation that takes one. */
    private static final Map<String, String> BODIES = new HashMap<>(Map.ofEntries(
            Map.entry("addJob", JOB),
            Map.entry("startSelection", "{'action': 'count', 'where': {'state': 'finished', 'idPrefix': 'x'}}"),
            Map.entry("createToken", "{'name': 'reader', 'roles': ['read'], 'types': ['mail']}"),
            Map.entry("rotateToken", "{'overlap': 'PT1M'}"),
            Map.entry(
                    "addJobs",
                    "{'jobs': [{'type': 'mail', 'data': 1, 'after': [{'type': 'mail', 'id': 'a'}]},"
                            + " {'type': 'other', 'data': [], 'unique': {'key': 'u', 'within': 'PT1H'}}]}"),
            Map.entry("setTypeTimeout", "{'timeout': 'PT45S'}"),
            Map.entry("setTypeRetention", "{'ended': 'PT1H', 'failed': 'P90D', 'archived': true}"),
            Map.entry("pauseType", "{'reason': 'a release'}"),
            Map.entry("cancelJob", "{'reason': 'not wanted'}"),
            Map.entry("rescheduleJob", "{'at': '2031-01-31T08:00:00Z'}"),
            Map.entry("reprioritiseJob", "{'priority': -4}"),
            Map.entry("setTypeLimits", "{'max': 100, 'rate': {'starts': 10, 'period': 'PT1S', 'burst': 2}}"),
            Map.entry("setKeyLimitDefault", "{'max': 5}"),
            Map.entry("setKeyLimits", "{'max': 2, 'weight': 3}"),
            Map.entry(
                    "putSchedule",
                    "{'cron': '0 8 * * 1-5', 'zone': 'Europe/Berlin', 'overlap': 'queue',"
                            + " 'job': {'type': 'mail', 'data': 1}}"),
            Map.entry("changeBridgeSettings", "{'workers': 2, 'heartbeat': null, 'processorLimit': 'PT5S'}"),
            Map.entry("openBatch", "{'closing': {'type': 'mail', 'data': 'all are done'}}"),
            Map.entry("cancelBatch", "{}"),
            Map.entry("putTopic", "{'partitions': 2, 'maxAge': 'P7D', 'maxBytes': 1000000}"),
            Map.entry("appendMessages", "{'messages': [{'value': {'a': 1}, 'key': 'k', 'headers': {'trace': 'x'}}]}"),
            Map.entry("createQueueTopic", "{'name': 'queue', 'partitions': 2}"),
            Map.entry("registerQueueProducer", "{'topic': 'existing', 'partition': 1}"),
            Map.entry("registerQueueConsumer", "{'topic': 'existing'}"),
            Map.entry("createGroup", "{'from': 'latest'}"),
            Map.entry("seekGroup", "{'to': '2026-11-27T12:00:00Z', 'partition': 0}"),
            Map.entry("pollGroup", "{'limit': 10}"),
            Map.entry("claimJobs", "{'requestId': 'r', 'max': 1, 'wait': 'PT0S', 'worker': " + WORKER + "}"),
            Map.entry("renewClaims", "{'claims': [], 'worker': " + WORKER + "}"),
            Map.entry("endWorker", "{'name': 'mailers', 'id': '00000000-0000-4000-8000-000000000001'}")));

    /** Where an operation needs something of its own: a name, by the parameter. */
    private static final Map<String, Map<String, String>> NAMES = new HashMap<>(Map.of(
            "retryDeadLetter", Map.of("id", "dead"),
            "getCheckpoint", Map.of("id", "told"),
            "getProgress", Map.of("id", "told"),
            "removeJob", Map.of("id", "removed"),
            "removeSchedule", Map.of("name", "removed"),
            "removeBatch", Map.of("name", "removed"),
            "openBatch", Map.of("name", "new"),
            "cancelBatch", Map.of("name", "cancelled"),
            "getStatusCounts", Map.of("type", "indexed"),
            "listJobs", Map.of("type", "indexed")));

    private static final Map<String, String> STANDARD = Map.of(
            "type",
            "mail",
            "id",
            "a",
            "name",
            "existing",
            "key",
            "tenant",
            "node",
            "reg_a",
            "partition",
            "0",
            "group",
            "readers");

    private static final TestServer SERVER = TestServer.forEverything();

    private static final TestBridge BRIDGE = TestBridge.start(SERVER);

    /** Knows callers by their names, and lets them do nothing. */
    private static final TestServer GUARDED =
            new TestServer(http -> http.authenticator(request -> CompletableFuture.completedFuture(
                    Optional.ofNullable(request.getHeader("Name")).map(name -> Access.of(name)))));

    private static final DocumentedApi API =
            new DocumentedApi(SERVER.get("/openapi.json").body());

    @BeforeAll
    static void addWhatOperationsNeed() {
        for (String id : List.of("a", "removed")) {
            SERVER.jobs.add(SERVER.database, MAIL, id, 1).join();
        }
        SERVER.jobs.statuses().index(JobType.of("indexed", Object.class)).join();
        SERVER.post("/v1/types/indexed/jobs", "{'id': 'a', 'data': 1}");
        for (String name : List.of("existing", "removed", "cancelled")) {
            SERVER.put("/v1/schedules/" + name, "{'every': 'PT1H', 'job': {'type': 'mail', 'data': 1}}");
            SERVER.put("/v1/batches/" + name, "{}");
        }
        SERVER.post("/v1/batches/removed/cancel", "");
        for (String operation : List.of("rotateToken", "revokeToken")) {
            Response token = SERVER.post("/v1/tokens", "{'name': '" + operation + "', 'roles': ['read']}");
            NAMES.put(operation, Map.of("id", token.body().get("id").stringValue()));
        }
        BRIDGE.put("document", "{'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': 'true'}]}");
        BRIDGE.awaitDocument(
                "document", document -> document.get("state").stringValue().equals("success"));
        NAMES.put("getBridgeDocument", Map.of("id", "document"));
        addTopics();
        runTwoJobs(MAIL);
        quarantineTwoJobs(JobType.of("damaged", Object.class));
        claimJobs(JobType.of("claimed", Object.class, Object.class));
    }

    private static void addTopics() {
        for (String name : List.of("existing", "removed", "committed")) {
            SERVER.put("/v1/topics/" + name, "{'partitions': 2}");
            SERVER.put("/v1/topics/" + name + "/groups/readers", "{}");
        }
        SERVER.put("/v1/topics/compacted", "{'partitions': 2, 'compactAfter': 'PT1H'}");
        SERVER.post("/v1/topics/compacted/messages", "{'messages': [{'key': 'lamp', 'value': 1}]}");
        NAMES.put("getLatestMessage", Map.of("name", "compacted"));
        SERVER.post("/v1/topics/committed/messages", "{'messages': [{'value': 1}]}");
        String cursor = SERVER.get("/v1/topics/committed/groups/readers/messages")
                .body()
                .get("cursor")
                .stringValue();
        SERVER.post("/v1/topics/existing/messages", "{'messages': [{'value': 'a'}]}");
        for (String kind : List.of("producer", "consumer")) {
            String id = SERVER.post("/queue/" + kind + "/register", "{'topic': 'existing'}")
                    .body()
                    .get(kind + "_id")
                    .toString();
            String client = "'topic': 'existing', '" + kind + "_id': " + id;
            if (kind.equals("producer")) {
                BODIES.put("produceToQueue", "{" + client + ", 'message': 'b'}");
            } else {
                BODIES.put("consumeFromQueue", "{" + client + "}");
                BODIES.put("getQueueSize", "{" + client + "}");
            }
        }
        BODIES.put("commitGroup", "{'cursor': '" + cursor + "'}");
        NAMES.put("commitGroup", Map.of("name", "committed"));
        NAMES.put("removeTopic", Map.of("name", "removed"));
        NAMES.put("removeGroup", Map.of("name", "existing", "group", "removed"));
    }

    /** One for each operation on a claim; they are held until these operations come. */
    private static void claimJobs(JobType<Object, Object> type) {
        SERVER.put("/v1/types/" + type.name() + "/timeout", "{'timeout': 'PT1H'}");
        Map<String, String> members = Map.of(
                "updateClaim", "'progress': {'done': 1}, 'log': [1]",
                "finishClaim", "'result': 1, 'jobs': [{'type': 'mail', 'data': 1}]",
                "failClaim", "'error': {'type': 'ValueError', 'message': 'no luck'}, 'retry': false",
                "snoozeClaim", "'time': 'PT1H'",
                "cancelClaim", "'reason': 'enough'",
                "releaseClaim", "'checkpoint': 1");
        members.forEach((operation, body) -> {
            SERVER.jobs.add(SERVER.database, type, operation, 1).join();
            Job<Object> claim = SERVER.jobs.processor().accept(type).join().orElseThrow();
            BODIES.put(operation, "{'lock': '" + claim.lock() + "', " + body + "}");
            NAMES.put(operation, Map.of("type", type.name(), "id", operation));
        });
    }

    private static void quarantineTwoJobs(JobType<Object, Void> type) {
        for (String id : List.of("restored", "removed")) {
            SERVER.jobs.add(SERVER.database, type, id, 1).join();
            SERVER.database.run(tx -> {
                tx.set(SERVER.jobRows().pack(Tuple.from("data", type.name(), id)), new byte[] {0x7F});
                return id;
            });
        }
        SERVER.jobs.processor().accept(type, AcceptOptions.nonBlocking()).join();
        List<QuarantinedRow> rows = SERVER.jobs
                .quarantine()
                .list(SERVER.database, type, PageRequest.of(10))
                .join()
                .items();
        String selection = SERVER.post("/v1/types/mail/selections", "{'action': 'count'}")
                .body()
                .get("id")
                .stringValue();
        NAMES.put("getSelection", Map.of("id", selection));
        NAMES.put("cancelSelection", Map.of("id", selection));
        NAMES.put(
                "removeQuarantined",
                Map.of("type", type.name(), "id", rows.get(0).id()));
        NAMES.put(
                "restoreQuarantined",
                Map.of("type", type.name(), "id", rows.get(1).id()));
    }

    /** One fails for good; the other has a log. */
    private static void runTwoJobs(JobType<Object, Object> type) {
        SERVER.jobs.add(SERVER.database, type, "dead", "fail").join();
        SERVER.jobs.add(SERVER.database, type, "told", "tell").join();
        Worker worker = SERVER.jobs
                .worker()
                .handle(type, job -> {
                    if (job.data().equals("fail")) {
                        throw new PermanentFailureException("no such address");
                    }
                    job.checkpoint("half");
                    job.progress(1, 2, "half");
                    return "done";
                })
                .start();
        SERVER.jobs
                .resultAsync(type, "dead", Duration.ofSeconds(30))
                .handle((done, failed) -> true)
                .join();
        SERVER.jobs.result(type, "told", Duration.ofSeconds(30));
        worker.close();
        SERVER.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 1}");
    }

    @AfterAll
    static void close() {
        BRIDGE.close();
        SERVER.close();
        GUARDED.close();
    }

    static List<Operation> operations() {
        return API.operations();
    }

    private static String path(Operation operation) {
        String path = operation.path();
        for (Map.Entry<String, String> name : STANDARD.entrySet()) {
            String value = NAMES.getOrDefault(operation.id(), Map.of()).getOrDefault(name.getKey(), name.getValue());
            path = path.replace("{" + name.getKey() + "}", value);
        }
        return path;
    }

    private static Response send(Operation operation, String path, String body, String... headers) {
        HttpRequest request = SERVER.request(operation.method(), path, body, headers);
        Response response = SERVER.send(request);
        assertThat(API.faults(operation, response))
                .as("%s %s", request.method(), path)
                .isEmpty();
        assertThat(response.status()).isLessThan(500);
        return response;
    }

    @ParameterizedTest
    @MethodSource("operations")
    void validInputSucceeds(Operation operation) {
        String query = operation.id().equals("getLatestMessage") ? "?key=lamp" : "";
        Response response = send(operation, path(operation) + query, BODIES.getOrDefault(operation.id(), ""));
        // A row that this version cannot decode stays in quarantine.
        if (operation.id().equals("restoreQuarantined")) {
            assertThat(response.problem()).isEqualTo("undecodable-row");
        } else if (operation.id().equals("createBackup")) { // of a database in memory
            assertThat(response.problem()).isEqualTo("no-backups");
        } else {
            assertThat(response.status()).as(response.detail()).isBetween(200, 204);
        }
    }

    @ParameterizedTest
    @MethodSource("operations")
    void anUnknownParameterIsRefused(Operation operation) {
        Response response = send(operation, path(operation) + "?bogus=1", BODIES.getOrDefault(operation.id(), ""));
        assertThat(response.status()).isEqualTo(400);
        assertThat(response.detail()).contains("bogus");
    }

    @ParameterizedTest
    @MethodSource("operations")
    void aParameterOfAWrongTypeIsRefused(Operation operation) {
        operation
                .query()
                .filter(parameter -> isChecked(parameter.get("schema")))
                .map(parameter -> parameter.get("name").stringValue())
                .forEach(name -> {
                    Response response = send(operation, path(operation) + "?" + name + "=%00x", "");
                    assertThat(response.status()).as(name).isEqualTo(400);
                    assertThat(response.body()
                                    .get("errors")
                                    .get(0)
                                    .get("pointer")
                                    .stringValue())
                            .isEqualTo(name);
                });
    }

    private static boolean isChecked(JsonNode schema) {
        return !schema.path("type").asString("").equals("string") || schema.has("pattern");
    }

    @ParameterizedTest
    @MethodSource("operations")
    void aWrongBodyIsRefused(Operation operation) {
        if (!operation.takesBody()) {
            return;
        }
        for (String body : List.of("{'bogus': 1}", "[]", "7", "null", "{'data': {'x': ", "{'a':1,'a':1}")) {
            Response response = send(operation, path(operation), body);
            assertThat(response.status()).as(body).isEqualTo(400);
            assertThat(response.detail()).as(body).isNotEmpty();
        }
        if (operation.needsBody()) {
            assertThat(send(operation, path(operation), "").problem()).isEqualTo("body-missing");
        }
    }

    @ParameterizedTest
    @MethodSource("operations")
    void aNameThatIsTooLongIsRefused(Operation operation) {
        if (!operation.path().contains("{type}")) {
            return;
        }
        String path = path(operation).replaceFirst("/types/[a-z]+", "/types/" + "x".repeat(2_000));
        Response response = send(operation, path, BODIES.getOrDefault(operation.id(), ""));
        assertThat(response.problem()).isEqualTo("invalid-value");
    }

    @ParameterizedTest
    @MethodSource("operations")
    void theCallerNeedsTheRole(Operation operation) {
        String body = BODIES.getOrDefault(operation.id(), "");
        Response unknown = GUARDED.send(GUARDED.request(operation.method(), path(operation), body));
        if (!operation.declaration().has("x-role")) {
            assertThat(operation.declaration().get("security")).isEmpty();
            assertThat(unknown.status()).isEqualTo(200);
            return;
        }
        assertThat(unknown.status()).isEqualTo(401);
        Response powerless = GUARDED.send(GUARDED.request(operation.method(), path(operation), body, "Name", "jo"));
        assertThat(powerless.status()).isEqualTo(403);
        assertThat(powerless.detail())
                .contains(operation.declaration().get("x-role").stringValue());
    }
}
