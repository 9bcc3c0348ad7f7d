package dev.couchjobs.bridge.internal.couch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.servers.CouchServers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The contract on real servers, over HTTP. */
class HttpCouchTest extends CouchContract {
    @TempDir
    private static Path directory;

    private static CouchServers servers;

    @BeforeAll
    static void start() {
        servers = new CouchServers(2, directory);
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Override
    protected CouchFixture fixture() {
        return new HttpCouchFixture(servers);
    }

    @Test
    void aDocumentMayBeNestedDeeply() {
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("_id", "deep");
        ObjectNode inner = document;
        for (int depth = 0; depth < 1500; depth++) {
            inner = inner.putObject("in");
        }
        try (HttpCouchDatabase database = new HttpCouchDatabase(CouchSettings.of(servers.newDatabase(0)))) {
            List<Written> written =
                    database.write(List.of(document)).orTimeout(60, SECONDS).join();
            assertThat(written).hasOnlyElementsOfType(Written.Accepted.class);
            Leaf leaf = database.read(List.of("deep"))
                    .orTimeout(60, SECONDS)
                    .join()
                    .get(0)
                    .leaves()
                    .get(0);
            assertThat(leaf.body().path("in")).isEqualTo(document.path("in"));
        }
    }
}
