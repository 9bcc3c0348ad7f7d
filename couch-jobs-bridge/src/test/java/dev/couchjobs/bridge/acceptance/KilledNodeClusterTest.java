package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.GLOBAL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.BridgeMain;
import dev.couchjobs.bridge.servers.CouchServers;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Nodes that share a cluster take over the work of one that dies. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class KilledNodeClusterTest {
    @TempDir
    private Path directory;

    @Test
    void theStepOfANodeThatDiesIsDoneByAnother() {
        Map<String, BridgeProcess> processes = new TreeMap<>();
        try (CouchServers servers = new CouchServers(1, directory);
                ActionServer server = new ActionServer()) {
            URI database = servers.newDatabase(0);
            JoinFixture join = new JoinFixture.ByCluster();
            NodeFile.ALL.forEach(node -> processes.put(
                    node,
                    BridgeProcess.start(
                            BridgeMain.class, new NodeFile(node, join, database).write(directory.resolve(node)))));
            try (DocumentClient client = new DocumentClient(database)) {
                client.put("job", """
                        {'creator': 'global_node', 'job': [{'target': 'regional', 'kind': 'http', 'do': 'POST %s'},
                          {'target': 'global_node', 'do': 'true'}]}""".formatted(server.address().resolve("step")));
                ActionServer.Visit first = server.next("/step");
                String dying =
                        node(client.await("job", document -> !node(document).isEmpty()));
                assertThat(dying).isNotEqualTo(GLOBAL);
                Optional.ofNullable(processes.get(dying)).orElseThrow().kill();
                first.answer();
                server.next("/step").answer();

                ObjectNode document = client.awaitEnd("job");
                assertThat(document.path("job_status").asString()).isEqualTo("success");
                assertThat(node(document)).isNotEqualTo(dying).startsWith("reg_");
                assertThat(server.visits("/step")).isEqualTo(2);
                // New; begun, begun again, ended; begun and ended.
                assertThat(client.generation("job")).isLessThanOrEqualTo(6);
            }
        } finally {
            processes.values().forEach(BridgeProcess::close);
        }
    }

    private static String node(ObjectNode document) {
        return document.path("job").path(0).path("claimed_by").asString("");
    }
}
