package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Which requests are let in, and what is written about them. */
@Timeout(60)
class AdmissionTest {
    private static JobsHttp byName(JobsHttp http) {
        return http.authenticator(request -> CompletableFuture.completedFuture(
                Optional.ofNullable(request.getHeader("Name")).map(name -> Access.of(name, Role.OPERATE, Role.READ))));
    }

    @Test
    void aCallerThatCallsTooOftenWaits() {
        try (TestServer server = new TestServer(http -> byName(http).rate(1, 3))) {
            Response first = server.get("/v1/types", "Name", "a");
            assertThat(first.header("RateLimit-Policy")).isEqualTo("\"caller\";q=3;w=3");
            assertThat(first.header("RateLimit")).startsWith("\"caller\";r=2;");
            Response refused = first;
            for (int i = 0; refused.status() == 200; i++) {
                assertThat(i).isLessThan(1_000);
                refused = server.get("/v1/types", "Name", "a");
            }
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.problem()).isEqualTo("too-many-requests");
            assertThat(refused.header("Retry-After")).isEqualTo("1");
            assertThat(server.get("/v1/types", "Name", "b").status()).isEqualTo(200);
        }
    }

    @Test
    void aBodyHasALimit() {
        try (TestServer server = new TestServer(http -> byName(http).bodyBytes(100))) {
            String path = "/v1/types/mail/jobs";
            assertThat(server.post(path, "{'data': '" + "x".repeat(80) + "'}", "Name", "a")
                            .status())
                    .isEqualTo(201);
            assertThat(server.post(path, "{'data': '" + "x".repeat(90) + "'}", "Name", "a")
                            .problem())
                    .isEqualTo("body-too-large");
        }
    }

    @Test
    void aHeaderHasTheFormThatTheDocumentSays() {
        try (TestServer server = new TestServer(AdmissionTest::byName)) {
            Response wrong =
                    server.post("/v1/types/mail/jobs", "{'data': 1}", "Name", "a", "Idempotency-Key", "k".repeat(201));
            assertThat(wrong.status()).isEqualTo(400);
            assertThat(wrong.detail()).contains("Idempotency-Key");
        }
    }

    @Test
    void aPageOfAnotherSiteWritesNothing() {
        try (TestServer server = new TestServer(AdmissionTest::byName)) {
            for (String[] page : new String[][] {
                {"Sec-Fetch-Site", "cross-site"},
                {"Sec-Fetch-Site", "same-site"},
                {"Origin", "https://evil.example"},
                {"Origin", "null"},
            }) {
                assertThat(server.post("/v1/types/mail/pause", "", page[0], page[1], "Name", "a")
                                .problem())
                        .isEqualTo("cross-site");
            }
            String own = server.uri("/").getAuthority();
            for (String[] page : new String[][] {
                {"Sec-Fetch-Site", "same-origin"},
                {"Sec-Fetch-Site", "none"},
                {"Origin", "http://" + own},
            }) {
                assertThat(server.post("/v1/types/mail/pause", "", page[0], page[1], "Name", "a")
                                .status())
                        .isEqualTo(204);
            }
        }
    }

    @Test
    void writesOfKnownCallersAreAudited() {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        String name = "a\"b\\";
        try (TestServer server = new TestServer(AdmissionTest::byName)) {
            System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
            server.get("/v1/types", "Name", name);
            server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 'secret'}", "Name", name, "X-Request-Id", "r-1");
            server.post("/v1/types/m%0Ax%22%E2%80%A8/pause", "", "Name", name, "X-Request-Id", "no good");
            server.post("/v1/types/mail/jobs/none/run-now", "");
            server.delete("/v1/tokens/0123456789abcdef", "Name", name);
        } finally {
            System.setErr(before);
        }
        List<String> lines = log.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("couch-jobs.audit") && line.contains("\"a\\\"b\\\\\""))
                .map(line -> line.substring(line.indexOf('{')))
                .toList();
        assertThat(lines).hasSize(3).allMatch(line -> line.chars().allMatch(c -> c >= ' ' && c <= '~'));
        List<JsonNode> entries =
                lines.stream().map(JsonMapper.shared()::readTree).toList();
        assertThat(entries)
                .extracting(entry -> entry.get("caller").stringValue())
                .containsOnly(name);
        JsonNode added = entries.get(0);
        assertThat(added.get("operation").stringValue()).isEqualTo("addJob");
        assertThat(added.get("path").stringValue()).isEqualTo("/v1/types/mail/jobs");
        assertThat(added.get("status").intValue()).isEqualTo(201);
        assertThat(added.get("requestId").stringValue()).isEqualTo("r-1");
        assertThat(added.toString()).doesNotContain("secret");
        assertThat(entries.get(1).get("path").stringValue()).isEqualTo("/v1/types/m%0Ax%22%E2%80%A8/pause");
        assertThat(entries.get(1).get("requestId").stringValue()).matches("[0-9a-f]{16}");
        assertThat(entries.get(2).get("status").intValue()).isEqualTo(403);
    }
}
