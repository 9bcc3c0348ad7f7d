package dev.couchjobs.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RawPayload;
import dev.couchjobs.server.internal.cli.Typed;
import dev.couchjobs.server.internal.cli.Typed.Ran;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A payload, however it is broken into lines, is no second line of a format of lines. */
@Timeout(120)
class LineFormatsTest {
    private static final JobType<RawPayload, RawPayload> MAIL = JobType.of("mail", RawPayload.class, RawPayload.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    /** Where a line ends, for one reader or another (Unicode, annex 14; Python's splitlines). */
    private static final Pattern LINE_END = Pattern.compile("\r\n|[\n\r\u000B\f\u001C-\u001E\u0085\u2028\u2029]");

    /** The tokens of a payload that is a job of another type, if a line begins behind its first bracket. */
    private static final List<String> TOKENS = List.of(
            "[",
            "{",
            "\"type\"",
            ":",
            "\"payments\"",
            ",",
            "\"id\"",
            ":",
            "\"forged\"",
            ",",
            "\"data\"",
            ":",
            "1.10",
            "}",
            ",",
            "[",
            "]",
            "]");

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    /** A line end at each place where JSON has space, one at a time and all at once; and what strings may have. */
    private static List<String> payloads() {
        List<String> payloads = new ArrayList<>();
        for (String end : List.of("\n", "\r", "\r\n", "\n\r\t\n", " ")) {
            for (int i = 0; i <= TOKENS.size(); i++) {
                payloads.add(String.join("", TOKENS.subList(0, i))
                        + end
                        + String.join("", TOKENS.subList(i, TOKENS.size())));
            }
            payloads.add(end + String.join(end, TOKENS) + end);
            payloads.add(end + "1e400" + end);
        }
        payloads.add("\"\\n\\r\\u2028 \\u0085\"");
        for (String raw : List.of("\u0085", "\u2028", "\u2029", "\u007f", "\u009b", "\u202e", "\ufeff")) {
            payloads.add("\"" + raw + "\"");
        }
        return payloads;
    }

    private Map<String, RawPayload> addJobs() {
        Map<String, RawPayload> added = new LinkedHashMap<>();
        for (String payload : payloads()) {
            added.put("j" + added.size(), RawPayload.json(payload));
        }
        server.jobs
                .addAll(
                        server.database,
                        added.entrySet().stream()
                                .map(job -> NewJob.of(MAIL, job.getValue()).id(job.getKey()))
                                .toList())
                .join();
        return added;
    }

    private Ran run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--url", server.uri("/").toString()));
        Ran ran = new Typed().run(all.toArray(String[]::new));
        assertThat(ran.exitCode()).as(all + ran.err()).isZero();
        return ran;
    }

    /** {@return the lines of a text, as the least careful of readers finds them} */
    private static List<String> lines(String text) {
        assertThat(text).endsWith("\n");
        return List.of(LINE_END.split(text.substring(0, text.length() - 1), -1));
    }

    private static Map<String, RawPayload> dataOf(TestServer other, Map<String, RawPayload> added) {
        return added.keySet().stream()
                .collect(Collectors.toMap(
                        id -> id,
                        id -> other.jobs
                                .getJobData(other.database, MAIL, id)
                                .join()
                                .orElseThrow()));
    }

    @Test
    void anExportHasALineForEachJobAndItsImportTheSameBytes(@TempDir Path directory) throws IOException {
        Map<String, RawPayload> added = addJobs();
        server.post("/v1/types/mail/jobs", "{'id': 'last', 'data': [\n1], 'after': [{'type': 'mail', 'id': 'j0'}]}");
        added.put("last", RawPayload.json("[\n1]"));

        Ran exported = run("export");
        List<String> ids = new ArrayList<>();
        for (String line : lines(exported.out())) {
            JsonNode job = JSON.readTree(line);
            if (job.has("state")) {
                ids.add(job.get("id").stringValue());
            } else {
                assertThat(job.has("cursor") || job.has("exported")).as(line).isTrue();
            }
        }
        assertThat(ids).containsExactlyInAnyOrderElementsOf(added.keySet());

        Path file = directory.resolve("jobs");
        Files.writeString(file, exported.out());
        try (TestServer other = TestServer.forEverything()) {
            Ran imported = new Typed()
                    .run("import", file.toString(), "--url", other.uri("/").toString());
            assertThat(imported.exitCode()).as(imported.err()).isZero();
            assertThat(other.get("/v1/types").body().get("items").toString()).isEqualTo("[\"mail\"]");
            assertThat(dataOf(other, added)).containsExactlyInAnyOrderEntriesOf(added);
        }
    }

    @Test
    void anExportHasTheBytesOfResults() {
        Map<String, RawPayload> added = addJobs();
        var worker = server.jobs
                .worker()
                .handle(MAIL, job -> Objects.requireNonNull(added.get(job.id())))
                .start();
        added.keySet().forEach(id -> server.get("/v1/types/mail/jobs/" + id + "/result?timeout=PT30S"));
        worker.close();

        int found = 0;
        for (String line : lines(run("export").out())) {
            JsonNode job = JSON.readTree(line);
            if (!job.has("state")) {
                continue;
            }
            found++;
            RawPayload expected = Objects.requireNonNull(added.get(job.get("id").stringValue()));
            if (job.has("resultBytes")) {
                assertThat(job.get("resultMediaType").stringValue()).isEqualTo(RawPayload.JSON);
                assertThat(Base64.getDecoder().decode(job.get("resultBytes").stringValue()))
                        .isEqualTo(expected.toBytes());
            } else {
                assertThat(line).contains("\"result\":" + expected);
            }
        }
        assertThat(found).isEqualTo(added.size());
    }

    private static void assertValues(List<String> payloads, List<JsonNode> values) {
        assertThat(values.stream().map(JsonNode::toString))
                .containsExactlyElementsOf(payloads.stream()
                        .map(payload -> JSON.readTree(payload).toString())
                        .toList());
    }

    private JsonNode line(String... command) {
        List<String> lines = lines(run(command).out());
        assertThat(lines).as(String.join(" ", command)).hasSize(1);
        return JSON.readTree(lines.get(0));
    }

    @Test
    void aCommandPrintsALineForAReply() {
        Map<String, RawPayload> added = addJobs();
        List<String> payloads = payloads();
        assertValues(
                payloads,
                added.keySet().stream()
                        .map(id -> line("show", "mail", id, "--json").get("data"))
                        .toList());

        appendAll(payloads);
        assertValues(
                payloads,
                line("topics", "read", "news", "--limit", "1000", "--json").findValues("value"));
        String count = Integer.toString(payloads.size());
        assertValues(
                payloads,
                lines(run("topics", "read", "news", "--follow", "--limit", count, "--json")
                                .out())
                        .stream()
                        .map(line -> JSON.readTree(line).get("value"))
                        .toList());

        post("/v1/types/log/jobs", "{\"id\":\"j1\",\"data\":1}");
        String worker = "\"worker\":{\"name\":\"w\",\"id\":\"" + UUID.randomUUID() + "\",\"types\":[\"log\"]}}";
        String lock = post("/v1/work/claims", "{\"requestId\":\"r1\",\"max\":1,\"wait\":\"PT0S\"," + worker)
                .body()
                .at("/claims/0/lock")
                .stringValue();
        for (String payload : payloads) {
            post("/v1/work/types/log/jobs/j1/update", "{\"lock\":\"" + lock + "\",\"log\":[" + payload + "]}");
        }
        assertThat(line("show", "log", "j1", "--log", "--json").findValues("entry"))
                .hasSizeGreaterThanOrEqualTo(Math.min(100, payloads.size()));
    }

    private void appendAll(List<String> values) {
        server.put("/v1/topics/news", "{'partitions': 1}");
        post("/v1/topics/news/messages", "{\"messages\":[{\"value\":" + String.join("},{\"value\":", values) + "}]}");
    }

    private TestServer.Response post(String path, String body) {
        TestServer.Response response = server.send(HttpRequest.newBuilder(server.uri(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body.getBytes(UTF_8)))
                .build());
        assertThat(response.status()).as(path + body + response.detail()).isBetween(200, 204);
        return response;
    }

    /** What a client of server-sent events gets (WHATWG HTML, section 9.2.6). */
    private static List<String> events(String stream) {
        List<String> events = new ArrayList<>();
        StringBuilder data = new StringBuilder();
        for (String line : stream.split("\r\n|[\r\n]", -1)) {
            if (line.isEmpty()) {
                if (!data.isEmpty()) {
                    events.add(data.substring(0, data.length() - 1));
                }
                data.setLength(0);
            } else if (line.startsWith("data:")) {
                data.append(line.substring(line.startsWith("data: ") ? 6 : 5)).append('\n');
            } else {
                assertThat(line).matches("(:|id: |event: ).*");
            }
        }
        return events;
    }

    @Test
    void aStreamHasAnEventForEachMessageOrChange() {
        DocumentedApi document = new DocumentedApi(server.get("/openapi.json").body());
        List<DocumentedApi.Operation> streams = document.operations().stream()
                .filter(operation -> document.replies(operation).contains("text/event-stream"))
                .toList();
        assertThat(streams).extracting(DocumentedApi.Operation::id).contains("followAll", "listMessages");
        Map<String, RawPayload> added = addJobs();
        List<String> values = payloads().stream().map(LineFormatsTest::stripped).toList();
        appendAll(values);
        for (DocumentedApi.Operation stream : streams) {
            String path = stream.path()
                    .replace("{type}", "mail")
                    .replace("{id}", "j3")
                    .replace("{name}", "news")
                    .replace("{partition}", "0");
            boolean isOfMessages = path.contains("topics");
            int expected = isOfMessages ? values.size() : path.contains("j3") ? 1 : added.size();
            String text = text(path + "?limit=" + expected, "text/event-stream");
            List<String> events = events(text);
            assertThat(events).as(stream.id()).hasSize(expected);
            for (int i = 0; i < expected; i++) {
                JsonNode event = JSON.readTree(events.get(i));
                if (isOfMessages) {
                    assertThat(event.get("value").toString())
                            .isEqualTo(JSON.readTree(values.get(i)).toString());
                    assertThat(events.get(i)).contains(values.get(i).replaceAll("\r\n?", "\n"));
                }
            }
            if (!isOfMessages) {
                List<String> lines = lines(text(path + "?feed=continuous&limit=" + expected, "*/*"));
                lines.forEach(line -> assertThat(
                                JSON.readTree(line.isEmpty() ? "{}" : line).isObject())
                        .isTrue());
                assertThat(lines.stream().filter(line -> !line.isEmpty())).hasSize(expected + 1);
            }
        }
    }

    /** {@return a payload without the space around it, which is no part of a value in a request} */
    private static String stripped(String payload) {
        return payload.replaceAll("^[ \t\r\n]+|[ \t\r\n]+$", "");
    }

    private String text(String path, String accept) {
        TestServer.Response response = server.get(path, "Accept", accept);
        assertThat(response.status()).as(path + response.detail()).isEqualTo(200);
        return new String(response.http().body(), UTF_8);
    }
}
