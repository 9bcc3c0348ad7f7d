package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Replies as gzip. */
@Timeout(60)
class CompressionTest {
    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    /** The response as bytes: JSON is read by the caller. */
    private HttpResponse<byte[]> get(String path, String... headers) throws Exception {
        return HttpClient.newHttpClient()
                .send(server.request("GET", path, "", headers), HttpResponse.BodyHandlers.ofByteArray());
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private static byte[] unpacked(HttpResponse<byte[]> response) throws IOException {
        assertThat(header(response, "Content-Encoding")).isEqualTo("gzip");
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(response.body()))) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/assets/style.css", "/assets/pages/job.mjs", "/", "/ui/jobs", "/openapi.json"})
    void whatIsLargeIsSmaller(String path) throws Exception {
        HttpResponse<byte[]> plain = get(path);
        HttpResponse<byte[]> small = get(path, "Accept-Encoding", "br, gzip;q=0.8, *;q=0");
        assertThat(unpacked(small)).isEqualTo(plain.body());
        assertThat(small.body().length).isLessThan(plain.body().length * 6 / 10);
        assertThat(header(small, "Content-Length")).isEqualTo(Integer.toString(small.body().length));
        for (HttpResponse<byte[]> response : List.of(plain, small)) {
            assertThat(header(response, "Vary")).isEqualTo("Accept-Encoding");
            assertThat(header(response, "Content-Type")).isEqualTo(header(plain, "Content-Type"));
        }
        assertThat(header(plain, "Content-Encoding")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip;q=0", "br", "identity", "*;q=0, br", "gzip; q=0.000", "x-gzip-like"})
    void aClientThatDoesNotTakeItGetsThePlainReply(String accepted) throws Exception {
        assertThat(header(get("/assets/style.css", "Accept-Encoding", accepted), "Content-Encoding"))
                .isEmpty();
    }

    /** A cache must not take one for the other, and each is known again. */
    @ParameterizedTest
    @CsvSource({"/assets/style.css", "/", "/v1/types/mail/jobs?limit=1000"})
    void eachEncodingHasItsTag(String path) throws Exception {
        addManyJobs();
        String plain = header(get(path), "ETag");
        String small = header(get(path, "Accept-Encoding", "gzip"), "ETag");
        assertThat(small).matches("\"[0-9a-f]+-gzip\"").isNotEqualTo(plain);
        for (String tag : new String[] {plain, small}) {
            HttpResponse<byte[]> again = get(path, "Accept-Encoding", "gzip", "If-None-Match", tag);
            assertThat(again.statusCode()).isEqualTo(304);
            assertThat(header(again, "ETag")).isEqualTo(tag);
            assertThat(header(again, "Vary")).isEqualTo("Accept-Encoding");
        }
    }

    private void addManyJobs() {
        for (int i = 0; i < 60; i++) {
            server.post("/v1/types/mail/jobs", "{'id': 'job-" + i + "', 'data': 1}");
        }
    }

    @Test
    void aWriteTakesTheTagOfEitherEncoding() throws Exception {
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': '" + "x".repeat(5_000) + "'}");
        String path = "/v1/types/mail/jobs/a";
        String tag = header(get(path, "Accept-Encoding", "gzip"), "ETag");
        assertThat(tag).contains("-gzip");
        assertThat(server.post(path + "/cancel", "", "If-Match", "\"other-gzip\"")
                        .status())
                .isEqualTo(412);
        assertThat(server.post(path + "/cancel", "", "If-Match", tag).status()).isEqualTo(200);
    }

    @Test
    void smallRepliesAndThoseToWritesStayPlain() {
        Response added =
                server.post("/v1/types/mail/jobs", "{'data': '" + "x".repeat(5_000) + "'}", "Accept-Encoding", "gzip");
        assertThat(added.header("Content-Encoding")).isEmpty();
        Response small = server.get("/v1/types", "Accept-Encoding", "gzip");
        assertThat(small.header("Content-Encoding")).isEmpty();
        assertThat(small.header("Vary")).isEqualTo("Accept-Encoding");
    }

    /** What compresses may hold back what is written; a feed tells of a change at once. */
    @ParameterizedTest
    @ValueSource(strings = {"continuous", "eventsource"})
    void aFeedStaysPlainAndTellsAtOnce(String manner) throws Exception {
        HttpResponse<InputStream> feed = HttpClient.newHttpClient()
                .send(
                        server.request("GET", "/v1/feed?since=now&feed=" + manner, "", "Accept-Encoding", "gzip"),
                        HttpResponse.BodyHandlers.ofInputStream());
        assertThat(header(feed, "Content-Encoding")).isEmpty();
        server.post("/v1/types/mail/jobs", "{'id': 'told', 'data': 1}");
        StringBuilder told = new StringBuilder();
        try (InputStream in = feed.body()) {
            while (told.indexOf("told") < 0) {
                byte[] bytes = new byte[1_000];
                told.append(new String(bytes, 0, Math.max(0, in.read(bytes)), StandardCharsets.UTF_8));
            }
        }
    }
}
