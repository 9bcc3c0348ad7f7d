package dev.couchjobs.server.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.DatabaseLocation;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server of a command that opens the database itself. */
@Timeout(60)
class LocalServerTest {
    @Test
    void onlyTheCommandCanUseIt() throws IOException, InterruptedException {
        try (LocalServer server = LocalServer.open(new DatabaseLocation.InMemory(), false, Optional.empty())) {
            assertThat(server.address().getHost()).isEqualTo("127.0.0.1");
            assertThat(status(server, "Bearer " + server.secretOfCaller())).isEqualTo(200);
            assertThat(status(server, "Bearer x")).isEqualTo(401);
            assertThat(status(server, server.secretOfCaller())).isEqualTo(401);
            assertThat(server.secretOfCaller()).hasSize(43);
        }
    }

    private static int status(LocalServer server, String authorization) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(server.address().resolve("/v1/types"))
                .header("Authorization", authorization)
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
