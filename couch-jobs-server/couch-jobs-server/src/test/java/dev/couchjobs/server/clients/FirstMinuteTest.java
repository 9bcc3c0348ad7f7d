package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The workers of the first commands of docs/server.md. */
@Timeout(60)
@Tag("processes")
class FirstMinuteTest {

    @Test
    void aJobOfOneLanguageIsFollowedByAJobOfAnother() {
        List<ClientProcess> workers = new ArrayList<>();
        try (TestServer server = TestServer.forEverything()) {
            ClientKit.all().forEach(kit -> workers.add(ClientProcess.start(kit, kit.worker(), server.uri("/"), "")));
            boolean hasPython = workers.size() > 1;
            String first = hasPython ? "mail" : "receipt";
            server.post("/v1/types/" + first + "/jobs", "{'id': 'a', 'data': {'mail': 'b'}}");

            String receipts = "/v1/types/receipt/jobs?state=finished";
            while (server.get(receipts).body().get("items").isEmpty()) {
                assertThat(workers).allMatch(ClientProcess::isAlive);
            }
            String id =
                    server.get(receipts).body().get("items").get(0).get("id").stringValue();
            assertThat(server.get("/v1/types/receipt/jobs/" + id)
                            .body()
                            .get("result")
                            .stringValue())
                    .isEqualTo("archived");

            workers.forEach(worker -> worker.signal("TERM"));
            assertThat(workers).extracting(ClientProcess::awaitExit).containsOnly(0);
        } finally {
            workers.forEach(ClientProcess::close);
        }
    }

    @Test
    void thePageNamesTheWorkers() {
        assertThat(Path.of("..", "..", "docs", "server.md"))
                .content()
                .contains("clients/python/examples/mail.py", "clients/typescript && npm ci && npm run example");
    }
}
