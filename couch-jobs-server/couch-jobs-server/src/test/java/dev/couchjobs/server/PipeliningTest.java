package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that are sent before the replies to earlier ones. */
@Timeout(60)
class PipeliningTest {
    private static final int MORE_THAN_A_BUFFER = 400;

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    private static String get(String pathAndQuery, int number) {
        return "GET " + pathAndQuery + " HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: " + number + "\r\n\r\n";
    }

    @Test
    void allThatIsSentAfterARequestThatWaitsIsAnswered() throws IOException {
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 1}");
        StringBuilder requests = new StringBuilder(get("/v1/types/mail/jobs/a/result?timeout=PT0.5S", 0));
        for (int i = 1; i <= MORE_THAN_A_BUFFER; i++) {
            requests.append(get("/v1/types/mail/jobs/a", i));
        }
        try (RawClient client = new RawClient(server.uri("/"))) {
            client.send(requests.toString());
            for (int i = 0; i <= MORE_THAN_A_BUFFER; i++) {
                assertThat(client.readReply())
                        .startsWith(i == 0 ? "HTTP/1.1 202 " : "HTTP/1.1 200 ")
                        .contains("\r\nX-Request-Id: " + i + "\r\n");
            }
        }
    }
}
