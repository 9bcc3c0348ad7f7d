package dev.couchjobs.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RawPayload;
import dev.couchjobs.Unique;
import dev.couchjobs.server.TestServer.Response;
import dev.couchjobs.server.internal.cli.Typed;
import dev.couchjobs.server.internal.cli.Typed.Ran;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a payload come back on every way out, on whichever way they came in. */
@Timeout(60)
class ExactPayloadsTest {
    private static final String EXACT = "{\"amount\" : 0.12345678901234567890,\n \"rate\": 1e400, \"a\\u0062\": [1.0,"
            + " -0, 12345678901234567890, \"\\/ü\"], \"data\": {\"data\": 1E+2}}";
    private static final JobType<RawPayload, RawPayload> MAIL = JobType.of("mail", RawPayload.class, RawPayload.class);

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    private static String text(Response response) {
        return new String(response.http().body(), UTF_8);
    }

    private void post(String path, String body) {
        Response response = server.post(path, body);
        assertThat(response.status()).as(path + ": " + text(response)).isBetween(200, 204);
    }

    private void assertStored(String id) {
        assertThat(server.jobs.getJobData(server.database, MAIL, id).join()).contains(RawPayload.json(EXACT));
        assertThat(text(server.get("/v1/types/mail/jobs/" + id))).contains("\"data\":" + EXACT);
    }

    /** Payloads of scalars, at the end of a text and before a space. */
    static Stream<String> payloads() {
        return Stream.of(EXACT, "1.50", "-0", "1e400", "\"\\u0041 \"", "true", "[ ]", "{ }", "[[1.0 ] ,2.0]");
    }

    @ParameterizedTest
    @MethodSource("payloads")
    void aJobKeepsTheTextOfItsData(String payload) {
        post("/v1/types/mail/jobs", "{\"id\":\"j1\",\"data\": " + payload + " }");
        post("/v1/types/mail/jobs", "{\"data\":" + payload + ",\"id\":\"j2\",\"headers\":{\"data\":\"x\"}}");

        assertThat(text(server.get("/v1/types/mail/jobs/j1"))).contains("\"data\":" + payload + "}");
        assertThat(text(server.get("/v1/types/mail/jobs/j2"))).contains("\"data\":" + payload + "}");
        assertThat(server.jobs.getJobData(server.database, MAIL, "j1").join()).contains(RawPayload.json(payload));
    }

    @Test
    void everyRequestThatAddsJobsKeepsTheTextOfTheirData() {
        post(
                "/v1/jobs",
                "{\"jobs\":[{\"type\":\"mail\",\"id\":\"b1\",\"data\":" + EXACT + "},{\"data\":" + EXACT
                        + ",\"type\":\"mail\",\"id\":\"b2\"}]}");
        assertStored("b1");
        assertStored("b2");
        Response batch =
                server.put("/v1/batches/all", "{\"closing\":{\"type\":\"mail\",\"id\":\"c1\",\"data\":" + EXACT + "}}");
        assertThat(batch.status()).as(text(batch)).isEqualTo(200);
        assertStored("c1");
        Response schedule = server.put(
                "/v1/schedules/s", "{\"every\":\"PT1H\",\"job\":{\"type\":\"poll\",\"data\":" + EXACT + "}}");
        assertThat(schedule.status()).as(text(schedule)).isEqualTo(200);
        String current = schedule.body().get("currentJob").stringValue();
        assertThat(text(server.get("/v1/types/poll/jobs/" + current))).contains("\"data\":" + EXACT);
    }

    @Test
    void aWorkerIsGivenAndReturnsTheTexts() {
        post("/v1/types/mail/jobs", "{\"id\":\"j1\",\"data\":" + EXACT + "}");
        String worker = "'worker': {'name': 'w', 'id': '" + UUID.randomUUID() + "', 'types': ['mail']}}";
        Response claims = server.post("/v1/work/claims", "{'requestId': 'r1', 'max': 1, 'wait': 'PT0S', " + worker);
        assertThat(text(claims)).contains("\"data\":" + EXACT);
        String lock = claims.body().get("claims").get(0).get("lock").stringValue();

        post(
                "/v1/work/types/mail/jobs/j1/update",
                "{\"lock\":\"" + lock + "\",\"log\":[" + EXACT + " , 1.0],\"checkpoint\":" + EXACT
                        + ",\"jobs\":[{\"type\":\"mail\",\"id\":\"f1\",\"data\":" + EXACT + "}]}");
        assertStored("f1");
        assertThat(text(server.get("/v1/types/mail/jobs/j1/log"))).contains("\"entry\":" + EXACT, "\"entry\":1.0");
        assertThat(text(server.get("/v1/types/mail/jobs/j1/checkpoint"))).contains("\"entry\":" + EXACT);
        post("/v1/work/types/mail/jobs/j1/release", "{'lock': '" + lock + "'}");
        server.post("/v1/types/mail/jobs/f1/cancel", "");
        Response again = server.post("/v1/work/claims", "{'requestId': 'r2', 'max': 1, 'wait': 'PT0S', " + worker);
        assertThat(text(again)).contains("\"checkpoint\":" + EXACT);
        lock = again.body().get("claims").get(0).get("lock").stringValue();

        post("/v1/work/types/mail/jobs/j1/finish", "{\"lock\":\"" + lock + "\", \"result\" : " + EXACT + "}");
        assertThat(text(server.get("/v1/types/mail/jobs/j1"))).contains("\"result\":" + EXACT);
        assertThat(text(server.get("/v1/types/mail/jobs/j1/result"))).contains("\"result\":" + EXACT);
    }

    @Test
    void aMessageOfATopicKeepsItsText() {
        server.put("/v1/topics/news", "{'partitions': 1}");
        post("/v1/topics/news/messages", "{\"messages\":[{\"value\": " + EXACT + " },{\"value\":null}]}");

        assertThat(text(server.get("/v1/topics/news/messages"))).contains("\"value\":" + EXACT, "\"value\":null");
        Topic<byte[]> topic = Topic.of("news", byte[].class);
        Message<byte[]> first = server.topics
                .read(server.database, topic, 0, Position.earliest(), 1)
                .join()
                .messages()
                .get(0);
        assertThat(new String(first.value(), UTF_8)).isEqualTo(EXACT);
    }

    @Test
    void anExportAndItsImportKeepTheText(@TempDir Path directory) throws IOException {
        post("/v1/types/mail/jobs", "{\"id\":\"j1\",\"data\":" + EXACT.replace("\n", "") + "}");
        post(
                "/v1/types/mail/jobs",
                "{\"id\":\"j2\",\"data\":" + EXACT.replace("\n", "")
                        + ",\"after\":[{\"type\":\"mail\",\"id\":\"j1\"}]}");
        Ran exported = new Typed().run("export", "--url", server.uri("/").toString());
        assertThat(exported.out().lines().filter(line -> line.contains("\"data\":" + EXACT.replace("\n", ""))))
                .hasSize(2);
        Path file = directory.resolve("jobs");
        Files.writeString(file, exported.out());

        try (TestServer other = TestServer.forEverything()) {
            Ran imported = new Typed()
                    .run("import", file.toString(), "--url", other.uri("/").toString());
            assertThat(imported.exitCode()).as(imported.err()).isZero();
            for (String id : List.of("j1", "j2")) {
                assertThat(text(other.get("/v1/types/mail/jobs/" + id)))
                        .contains("\"data\":" + EXACT.replace("\n", ""));
            }
        }
    }

    /** What the library takes at the ends of its bounds is taken by the export and the import, too. */
    @Test
    void anImportTakesWhateverWasAdded(@TempDir Path directory) throws IOException {
        Instant last = Instant.parse("9999-12-31T23:59:59Z");
        NewJob<RawPayload> job = NewJob.of(MAIL, RawPayload.json("0"));
        List<NewJob<RawPayload>> jobs = new ArrayList<>(List.of(
                job.id("last").at(last),
                job.id("rounded").at(last.minusNanos(1)),
                job.id("first").at(Instant.EPOCH),
                job.id("second").at(Instant.EPOCH.plusNanos(1)),
                job.id("deadline").startBefore(last),
                job.id("millis").startBefore(last.minusMillis(1)),
                job.id("priority").priority(Integer.MIN_VALUE)));
        for (String data : List.of("false", "\"\"", "{}", "[]", "[null]", " {\"null\": null} ", "\"null\"")) {
            jobs.add(NewJob.of(MAIL, RawPayload.json(data)).id("data" + jobs.size()));
        }
        jobs.add(NewJob.of(MAIL, RawPayload.of("a/b", new byte[0])).id("empty"));
        jobs.add(NewJob.of(MAIL, RawPayload.of("a/b", "null".getBytes(UTF_8))).id("bytes"));
        server.jobs.addAll(server.database, jobs).join();
        Path file = directory.resolve("jobs");
        String exported =
                new Typed().run("export", "--url", server.uri("/").toString()).out();
        Files.writeString(file, exported);
        assertThat(exported.lines()).hasSize(jobs.size() + 1); // the last one counts them
        try (TestServer other = TestServer.forEverything()) {
            Ran imported = new Typed()
                    .run("import", file.toString(), "--url", other.uri("/").toString());
            assertThat(imported.exitCode()).as(imported.err()).isZero();
            assertThat(new Typed()
                            .run("export", "--url", other.uri("/").toString())
                            .out())
                    .isEqualTo(exported);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'data': null}",
                "{'dataBytes': 'bnVsbA==', 'dataMediaType': 'application/json'}",
                "{'data': 1, 'at': '9999-12-31T23:59:59.001Z'}",
                "{'data': 1, 'at': '9999-12-31T23:59:59-01:00'}",
                "{'data': 1, 'at': '1969-12-31T23:59:59Z'}",
                "{'data': 1, 'at': '+10000-01-01T00:00:00Z'}",
                "{'data': 1, 'startBefore': '9999-12-31T23:59:59.001Z'}"
            })
    void theServerRefusesWhatTheLibraryDoes(String job) {
        assertThat(server.post("/v1/types/mail/jobs", job).status()).isIn(400, 422);
        assertThat(server.post("/v1/jobs", "{'jobs': [{'type': 'mail', " + job.substring(1) + "]}")
                        .status())
                .isIn(400, 422);
    }

    @Test
    void theCommandLineKeepsTheText() {
        Ran added = new Typed()
                .run(
                        "add",
                        "mail",
                        EXACT,
                        "--id",
                        "j1",
                        "--url",
                        server.uri("/").toString());

        assertThat(added.exitCode()).as(added.err()).isZero();
        assertStored("j1");
    }

    @Test
    void anyBytesComeBackInBase64WithTheirMediaType(@TempDir Path directory) throws IOException {
        RawPayload image = RawPayload.of("image/png", new byte[] {0, -1, -64, 10});
        String bytes = "\"dataMediaType\":\"image/png\",\"dataBytes\":\"AP/ACg==\"";
        post("/v1/types/mail/jobs", "{\"id\":\"j1\"," + bytes + "}");
        assertThat(server.jobs.getJobData(server.database, MAIL, "j1").join()).contains(image);
        assertThat(text(server.get("/v1/types/mail/jobs/j1"))).contains(bytes).doesNotContain("\"data\":");

        Ran exported = new Typed().run("export", "--url", server.uri("/").toString());
        Path file = directory.resolve("jobs");
        Files.writeString(file, exported.out());
        try (TestServer other = TestServer.forEverything()) {
            Ran imported = new Typed()
                    .run("import", file.toString(), "--url", other.uri("/").toString());
            assertThat(imported.exitCode()).as(imported.err()).isZero();
            assertThat(text(other.get("/v1/types/mail/jobs/j1"))).contains(bytes);
        }
        String worker = "'worker': {'name': 'w', 'id': '" + UUID.randomUUID() + "', 'types': ['mail']}}";
        Response claims = server.post("/v1/work/claims", "{'requestId': 'r1', 'max': 1, 'wait': 'PT0S', " + worker);
        assertThat(text(claims)).contains(bytes);
        String lock = claims.body().get("claims").get(0).get("lock").stringValue();
        post("/v1/work/types/mail/jobs/j1/finish", "{'lock': '" + lock + "', 'resultBytes': 'AQ=='}");
        assertThat(text(server.get("/v1/types/mail/jobs/j1/result")))
                .contains("\"resultMediaType\":\"application/octet-stream\",\"resultBytes\":\"AQ==\"");
    }

    private Response postBytes(String path, String mediaType, byte[] body) {
        return server.send(HttpRequest.newBuilder(server.uri(path))
                .header("Content-Type", mediaType)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build());
    }

    @Test
    void aBodyThatIsNoJsonIsTheDataOfTheJob() {
        byte[] bytes = {0, -1, '{', -64};
        Response added = postBytes("/v1/types/mail/jobs?id=a%2Fb", "image/png", bytes);
        assertThat(added.status()).as(added.detail()).isEqualTo(201);
        assertThat(added.body().get("id").stringValue()).isEqualTo("a/b");
        assertThat(server.jobs.getJobData(server.database, MAIL, "a/b").join())
                .contains(RawPayload.of("image/png", bytes));

        Response data = server.get("/v1/types/mail/jobs/a%2Fb/data");
        assertThat(data.http().body()).isEqualTo(bytes);
        assertThat(data.header("Content-Type")).isEqualTo("image/png");
        assertThat(data.header("Content-Security-Policy")).isEqualTo("sandbox");
        post("/v1/types/mail/jobs", "{\"id\":\"j1\",\"data\": " + EXACT + "}");
        assertThat(text(server.get("/v1/types/mail/jobs/j1/data"))).isEqualTo(EXACT);
    }

    static List<String> mediaTypes() {
        return List.of(
                "text/plain",
                "Text/Plain",
                "text/html",
                "text/html;charset=UTF-8",
                "text/html; charset=utf-8",
                "text/html;charset=ISO-8859-1",
                "text/html;  charset = \"utf-8\" ; a=b",
                "text/xml",
                "text/json",
                "text/csv",
                "TEXT/CSV; Header=Present",
                "application/xhtml+xml",
                "Application/JSON",
                "application/json; charset=utf-8",
                "application/json;charset=UTF-8",
                "application/octet-stream",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "multipart/byteranges",
                "message/http",
                "image/PNG",
                "image/svg+xml",
                "a/b;",
                "x/" + "y".repeat(198));
    }

    @ParameterizedTest
    @MethodSource("mediaTypes")
    void dataComesBackWithTheMediaTypeThatItWasStoredWith(String mediaType) {
        byte[] bytes = {'1'};
        server.jobs
                .add(
                        server.database,
                        NewJob.of(MAIL, RawPayload.of(mediaType, bytes)).id("added"))
                .join();
        server.post(
                "/v1/types/mail/jobs",
                "{'id': 'sent', 'dataBytes': 'MQ==', 'dataMediaType': '" + mediaType.replace("\"", "\\'") + "'}");
        List<String> ids = new ArrayList<>(List.of("added", "sent"));
        if (postBytes("/v1/types/mail/jobs?id=body", mediaType, bytes).status() == 201) {
            ids.add("body");
        }
        for (String id : ids) {
            Response data = server.get("/v1/types/mail/jobs/" + id + "/data");
            assertThat(data.http().headers().allValues("Content-Type")).as(id).containsExactly(mediaType);
            assertThat(data.http().body()).isEqualTo(bytes);
            assertThat(server.get("/v1/types/mail/jobs/" + id)
                            .body()
                            .path("dataMediaType")
                            .stringValue())
                    .isEqualTo(mediaType);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"})
    void aFormOfAnotherSiteAddsNoJob(String mediaType) {
        assertThat(postBytes("/v1/types/mail/jobs", mediaType, new byte[] {1}).status())
                .isEqualTo(415);
    }

    @Test
    void aByteOrderMarkIsNoPartOfAPayload() {
        byte[] body = ("\uFEFF{\"id\":\"j1\",\"data\": " + EXACT + "}").getBytes(UTF_8);

        assertThat(postBytes("/v1/types/mail/jobs", "application/json", body).status())
                .isEqualTo(201);
        assertStored("j1");
    }

    static Stream<Arguments> wrongBytes() {
        return Stream.of(
                Arguments.of("{'id': 'j1'}", "data is missing"),
                Arguments.of("{'data': 1, 'dataBytes': 'AQ=='}", "data or dataBytes, not both"),
                Arguments.of("{'dataBytes': '%'}", "not in Base64"),
                Arguments.of("{'dataBytes': 'AQ==', 'dataMediaType': 'image'}", "A media type is"));
    }

    @ParameterizedTest
    @MethodSource("wrongBytes")
    void wrongBytesAreRefusedWithTheReason(String body, String reason) {
        Response response = server.post("/v1/types/mail/jobs", body);

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.detail()).contains(reason);
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of("9".repeat(1_001), "more than 1,000 characters"),
                Arguments.of("[0." + "1".repeat(2_000) + "]", "more than 1,000 characters"),
                Arguments.of("1e10000", "exponent beyond 9,999"),
                Arguments.of("[".repeat(401) + "]".repeat(401), "deeper than 400 levels"),
                Arguments.of("{\"" + "n".repeat(50_001) + "\":1}", "longer than 50,000 bytes in UTF-8"),
                Arguments.of("\"\\ud800\"", "half of a surrogate pair"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void whatNoReaderTakesIsRefusedWithTheReason(String payload, String reason) {
        Response response = server.post("/v1/types/mail/jobs", "{\"id\":\"j1\",\"data\":" + payload + "}");

        assertThat(response.status()).isIn(400, 422);
        assertThat(response.detail()).contains(reason);
        assertThat(server.get("/v1/types/mail/jobs/j1").status()).isEqualTo(404);
    }

    @Test
    void equalDataIsADuplicateInTheLibraryAndOverHttp() {
        server.jobs
                .add(
                        server.database,
                        NewJob.of(JobType.of("mail", Object.class), (Object) Map.of("b", 1, "a", List.of(2)))
                                .unique(Unique.byData()))
                .join();

        Response again = server.post("/v1/types/mail/jobs", "{\"data\":{\"a\":[2.0], \"b\":1e0},\"unique\":{}}");

        assertThat(again.body().get("change").stringValue()).isEqualTo("unchanged");
    }
}
