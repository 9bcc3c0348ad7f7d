package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.GLOBAL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.servers.CouchServers;
import dev.couchjobs.fdb.testing.Seeds;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/**
 * Many documents at once, for a bridge with a small heap. The thesis's listener crashed at 90. {@code
 * -Dbridge.burst=10000} uses the number of issue 5.
 */
@Tag("long")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BurstTest {
    private static final int DOCUMENTS = Integer.getInteger("bridge.burst", Seeds.isLongRun() ? 2_000 : 200);
    private static final int REQUEST = 500;
    private static final String MEMORY = "-Xmx128m";

    @TempDir
    private Path directory;

    @Test
    void aBridgeWithLittleMemoryRunsEveryJobOfABurstOnce() throws Exception {
        try (CouchServers servers = new CouchServers(1, directory)) {
            URI database = servers.newDatabase(0);
            Path configuration =
                    new NodeFile(GLOBAL, new JoinFixture.ByReplication(), database).write(directory.resolve(GLOBAL));
            try (DocumentClient client = new DocumentClient(database);
                    BridgeProcess bridge = BridgeProcess.start(
                            NotingMain.class, configuration, MEMORY, "-XX:+ExitOnOutOfMemoryError")) {
                for (int from = 0; from < DOCUMENTS; from += REQUEST) {
                    client.putAll(documents(from, Math.min(from + REQUEST, DOCUMENTS)));
                }
                client.awaitCount(
                        DOCUMENTS,
                        document -> document.path("job_status").asString("").equals("success"));

                assertThat(bridge.isAlive()).isTrue();
            }
            assertThat(Files.readAllLines(configuration.resolveSibling("notes")))
                    .hasSize(DOCUMENTS)
                    .doesNotHaveDuplicates();
        }
    }

    private static List<ObjectNode> documents(int from, int to) {
        List<ObjectNode> documents = new ArrayList<>();
        for (int i = from; i < to; i++) {
            documents.add(DocumentClient.json("""
                    {'creator': 'global_node', 'job': [{'target': 'global_node', 'kind': 'java', 'do': 'note'}]}""").put("_id", "burst-" + i));
        }
        return documents;
    }
}
