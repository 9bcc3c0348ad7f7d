package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Conditions compare entity tags as RFC 9110 has them (sections 5.3, 8.8.3 and 13.1). */
@Timeout(60)
class ConditionsTest {
    private static final String JOB = "/v1/types/mail/jobs/a";

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    /** {@return lines of a condition in which a tag stands, strong or weak, alone or among others} */
    private static List<List<String>> lists(String tag) {
        return List.of(
                List.of(tag),
                List.of("\"x\", " + tag),
                List.of(tag + ", \"x\""),
                List.of(tag + ",\"x\""),
                List.of(",, " + tag + " ,"),
                List.of("\"x\"", tag),
                List.of(tag, "\"x\""),
                List.of("\"x\"", "", tag),
                List.of("W/\"x\"", "\"a,b\", " + tag, "\"y\""));
    }

    /** {@return lines in which no tag is} */
    private static List<List<String>> others(String tag) {
        String bare = tag.replace("\"", "");
        return List.of(
                List.of("\"x\""),
                List.of("\"x\"", "\"y\""),
                List.of(bare),
                List.of("w/" + tag),
                List.of("W/ " + tag),
                List.of("W" + tag),
                List.of("\"x\" " + tag),
                List.of("\"x" + bare + "\""),
                List.of("\"" + bare + "-gzip-gzip\""),
                List.of("\"a, " + bare + ", b\""),
                List.of("*, " + tag),
                List.of("**"),
                List.of(","));
    }

    private String status(String method, String path, String header, List<String> lines, String body, String... more)
            throws IOException {
        StringBuilder request = new StringBuilder(
                method + " " + path + " HTTP/1.1\r\nHost: " + server.uri("/").getAuthority() + "\r\n");
        lines.forEach(line -> request.append(header).append(": ").append(line).append("\r\n"));
        Stream.of(more).forEach(line -> request.append(line).append("\r\n"));
        if (!body.isEmpty()) {
            request.append("Content-Type: application/json\r\n");
        }
        request.append("Content-Length: ")
                .append(body.length())
                .append("\r\n\r\n")
                .append(body);
        try (RawClient client = new RawClient(server.uri("/"))) {
            client.send(request.toString());
            client.end();
            return client.readAll().substring(9, 12);
        }
    }

    private String tag() {
        return server.get(JOB).header("ETag");
    }

    private String change(int priority, List<String> lines) throws IOException {
        return status("POST", JOB + "/reprioritise", "If-Match", lines, "{\"priority\":" + priority + "}");
    }

    @Test
    void aWriteHappensIfAStrongTagMatches() throws IOException {
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 1}");
        List<String> wrong = new ArrayList<>();
        int count = lists("").size();
        for (int i = 0; i < count; i++) {
            List<String> lines = lists(tag()).get(i);
            if (!change(i + 1, lines).equals("200")) {
                wrong.add("refused: " + lines);
            }
            List<String> weak = lists("W/" + tag()).get(i);
            if (!change(i + 100, weak).equals("412")) {
                wrong.add("weak: " + weak);
            }
        }
        for (List<String> lines : others(tag())) {
            if (!change(200, lines).equals("412")) {
                wrong.add("not the tag: " + lines);
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(change(201, List.of("*"))).isEqualTo("200");
        assertThat(status("DELETE", "/v1/types/mail/jobs/none", "If-Match", List.of("*"), ""))
                .isEqualTo("412");
    }

    @Test
    void aReadIsLeftOutIfATagMatchesStrongOrWeak() throws IOException {
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': '" + "x".repeat(5_000) + "'}");
        String page = server.get("/").header("ETag");
        List<String> wrong = new ArrayList<>();
        for (String path : List.of(JOB, "/")) {
            String tag = path.equals("/") ? page : tag();
            String zipped = tag.substring(0, tag.length() - 1) + "-gzip\"";
            for (String each : List.of(tag, "W/" + tag, zipped, "W/" + zipped)) {
                for (List<String> lines : lists(each)) {
                    for (String accepted : List.of("gzip", "identity")) {
                        if (!status("GET", path, "If-None-Match", lines, "", "Accept-Encoding: " + accepted)
                                .equals("304")) {
                            wrong.add(path + lines);
                        }
                    }
                }
            }
            for (List<String> lines : others(tag)) {
                if (!status("GET", path, "If-None-Match", lines, "").equals("200")) {
                    wrong.add("not the tag: " + path + lines);
                }
            }
            assertThat(status("GET", path, "If-None-Match", List.of("*"), "")).isEqualTo("304");
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void aListInSeveralLinesIsOneList() throws IOException {
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': '" + "x".repeat(5_000) + "'}");
        try (RawClient client = new RawClient(server.uri("/"))) {
            client.send("GET " + JOB + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: br\r\nAccept-Encoding:"
                    + " gzip\r\n\r\n");
            assertThat(client.readReply()).contains("Content-Encoding: gzip");
        }
        try (RawClient client = new RawClient(server.uri("/"))) {
            client.send("GET /v1/feed?limit=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\nAccept:"
                    + " text/event-stream\r\nConnection: close\r\n\r\n");
            assertThat(client.readAll()).contains("text/event-stream");
        }
    }

    /** Which of two was meant is not to be guessed (RFC 9110, section 5.3). */
    @Test
    void aHeaderWithOneValueThatIsGivenTwiceIsRefused() throws IOException {
        for (String header : List.of("Idempotency-Key", "Content-Type", "Last-Event-ID", "Origin")) {
            String address = server.uri("/").toString();
            String value = header.equals("Content-Type") ? "image/png" : address.substring(0, address.length() - 1);
            List<String> statuses = new ArrayList<>();
            for (List<String> lines : List.of(List.of(value), List.of(value, value), List.of(value, "x/y"))) {
                String type = header.equals("Content-Type") ? "X-Unused: 1" : "Content-Type: image/png";
                statuses.add(status("POST", "/v1/types/mail/jobs", header, lines, "", type));
            }
            assertThat(statuses).as(header).containsExactly("201", "400", "400");
        }
    }
}
