package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where a server listens, and to which names it answers. */
@Timeout(60)
class BindingTest {
    private static JobsHttp open(JobsHttp http) {
        return http.authenticator(Authenticator.always(Access.of("test", Role.ADMIN)));
    }

    private static String statusFor(TestServer server, String request) throws IOException {
        try (RawClient client = new RawClient(server.uri("/"))) {
            client.send(request.replace("\n", "\r\n"));
            client.end();
            String reply = client.readAll();
            return reply.isEmpty() ? "" : reply.substring(9, 12);
        }
    }

    private static String statusForHost(TestServer server, String host) throws IOException {
        return statusFor(server, "GET /v1/types HTTP/1.1\nHost: " + host + "\n\n");
    }

    @Test
    void onTheLoopbackOnlyItsNamesAreAnswered() throws IOException {
        try (TestServer server = TestServer.with(BindingTest::open, options -> options.names("Jobs.example.org"))) {
            for (String host : new String[] {
                "localhost", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:80", "[::1]:7470", "a.localhost", "jobs.EXAMPLE.org"
            }) {
                assertThat(statusForHost(server, host)).as(host).isEqualTo("200");
            }
            for (String host : new String[] {
                "evil.example",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "evil-localhost",
                "10.0.0.1",
                "[::2]",
                "jobs.example.org.evil.example"
            }) {
                assertThat(statusForHost(server, host)).as(host).isEqualTo("421");
            }
            assertThat(statusFor(server, "GET http://evil.example/v1/types HTTP/1.1\nHost: localhost\n\n"))
                    .isIn("400", "421");
            assertThat(statusFor(server, "GET /v1/types HTTP/1.1\nHost: localhost\nHost: evil.example\n\n"))
                    .isEqualTo("400");
            assertThat(statusFor(server, "GET /v1/types HTTP/1.1\n\n")).isEqualTo("400");
        }
    }

    @Test
    void aServerForOtherMachinesNeedsTlsAndTokens() {
        for (String host : new String[] {"", "0.0.0.0", "::", "192.0.2.1"}) {
            assertThatThrownBy(() -> TestServer.on(host, BindingTest::open, options -> options))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("--tls-certificates")
                    .hasMessageContaining("--tokens")
                    .hasMessageContaining("127.0.0.1");
        }
        assertThatThrownBy(() -> TestServer.on("0.0.0.0", JobsHttp::tokens, options -> options))
                .hasMessageContaining("--tls-certificates")
                .hasMessageNotContaining("--tokens");
        assertThatThrownBy(() -> TestServer.on(
                        "0.0.0.0", BindingTest::open, options -> options.tls(Path.of("none.pem"), Path.of("none.key"))))
                .hasMessageContaining("--tokens")
                .hasMessageNotContaining("--tls-certificates");
    }
}
