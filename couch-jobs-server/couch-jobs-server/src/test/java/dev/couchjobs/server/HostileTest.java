package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.internal.access.AccessToken;
import dev.couchjobs.server.internal.access.AccessTokens;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests that no program should send, ten thousand in the profile long: the server refuses each, tells nothing, and
 * goes on. A seed generates them; a failure shows the request.
 */
@Tag("long")
@Timeout(300)
class HostileTest {
    private static final int IN_SEQUENCE = Boolean.getBoolean("long") ? 7_000 : 2_000;
    private static final int ALONE = Boolean.getBoolean("long") ? 3_000 : 1_000;

    /** These end a connection as they should: the version or the coding of the request is unknown. */
    private static final Set<Integer> REFUSALS_BY_HTTP = Set.of(501, 505);

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3})[^\\r\\n]*\\r\\n");
    private static final Pattern LENGTH = Pattern.compile("(?i)\\r\\nContent-Length: (\\d+)\\r\\n");

    /** What only the inside of the server knows. */
    private static final List<String> SECRETS =
            List.of("top-secret", "\tat ", "org.eclipse", "dev.couchjobs", "java.lang", "jetty", "Exception");

    private final TestServer server = new TestServer(http -> http.tokens().audit(false));
    private final String token = new AccessTokens(server.database, server.serverRows, InstantSource.system())
            .create(new AccessToken.Wanted("root", Set.of(Role.ADMIN), Optional.empty(), Optional.empty()))
            .join()
            .text();

    @AfterEach
    void close() {
        server.close();
    }

    private record Parsed(List<Integer> statuses, String rest) {}

    @Test
    void requestsThatHttpAllowsAreAnsweredOneByOne() throws IOException {
        HostileRequests requests = new HostileRequests(4711, token);
        RawClient client = new RawClient(server.uri("/"));
        String before = "";
        List<String> failures = new ArrayList<>();
        try {
            for (int i = 0; i < IN_SEQUENCE; i++) {
                byte[] request = requests.valid();
                client.send(request);
                String reply = client.readReply();
                Parsed parsed = parse(reply);
                assertThat(parsed.rest()).as(() -> text(request)).isEmpty();
                assertThat(parsed.statuses())
                        .as("%s%s\nbefore: %s", text(request), reply, before)
                        .hasSize(1);
                if (parsed.statuses().get(0) >= 500) {
                    failures.add(text(request) + reply);
                }
                before = text(request) + reply;
                if (reply.toLowerCase(Locale.ROOT).contains("\r\nconnection: close\r\n")) {
                    client.close();
                    client = new RawClient(server.uri("/"));
                }
            }
        } finally {
            client.close();
        }
        assertThat(failures).isEmpty();
        assertThatItServes();
    }

    @Test
    void requestsThatHttpForbidsEndTheConnection() throws IOException {
        HostileRequests requests = new HostileRequests(815, token);
        for (int i = 0; i < ALONE; i++) {
            byte[] request = requests.malformed();
            try (RawClient client = new RawClient(server.uri("/"))) {
                try {
                    client.send(request);
                    client.end();
                } catch (IOException e) {
                    // The server has closed the connection before it had read all.
                }
                Parsed replies = parse(client.readAll());
                assertThat(replies.statuses())
                        .as(() -> text(request))
                        .allMatch(status -> status < 500 || REFUSALS_BY_HTTP.contains(status))
                        .hasSizeLessThanOrEqualTo(1);
            }
        }
        assertThatItServes();
    }

    private void assertThatItServes() {
        server.post("/v1/types/good/jobs", "{'id': 'a', 'data': 'top-secret'}", "Authorization", "Bearer " + token);
        TestServer.Response good = server.get("/v1/types/good/jobs/a", "Authorization", "Bearer " + token);
        assertThat(good.status()).isEqualTo(200);
    }

    private static String text(byte[] request) {
        String one = new String(request, StandardCharsets.ISO_8859_1);
        return one.substring(0, Math.min(300, one.length())) + "\n---\n";
    }

    /** Reads the replies one after the other, by their lengths, and checks that none tells a secret. */
    private Parsed parse(String all) {
        String inLowerCase = all.toLowerCase(Locale.ROOT);
        for (String secret : SECRETS) {
            assertThat(inLowerCase).doesNotContain(secret.toLowerCase(Locale.ROOT));
        }
        assertThat(all).doesNotContain(token.substring(20));
        List<Integer> statuses = new ArrayList<>();
        String rest = all;
        while (!rest.isEmpty()) {
            Matcher status = STATUS.matcher(rest);
            int head = rest.indexOf("\r\n\r\n");
            if (!status.lookingAt() || head < 0) {
                return new Parsed(statuses, rest);
            }
            int code = Integer.parseInt(status.group(1));
            Matcher length = LENGTH.matcher(rest.substring(0, head + 2));
            int body = length.find() && code != 304 ? Integer.parseInt(length.group(1)) : 0;
            rest = rest.substring(Math.min(rest.length(), head + 4 + body));
            if (code >= 200) {
                statuses.add(code);
            }
        }
        return new Parsed(statuses, rest);
    }
}
