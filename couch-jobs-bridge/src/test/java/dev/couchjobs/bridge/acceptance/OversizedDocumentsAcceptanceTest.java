package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.GLOBAL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.servers.CouchServers;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Documents that a bridge with a small heap cannot read, among others that it can. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("processes")
class OversizedDocumentsAcceptanceTest {
    private static final String JOB =
            "{'creator': 'global_node', 'job': [{'target': 'global_node', 'kind': 'java', 'do': 'note'}]}";
    private static final String MEMORY = "-Xmx64m";

    @TempDir
    private Path directory;

    @Test
    void whateverOneDocumentIsTheOthersAreDoneAndABridgeStartsOnIt() throws Exception {
        try (CouchServers servers = new CouchServers(1, directory)) {
            URI database = servers.newDatabase(0);
            Path configuration =
                    new NodeFile(GLOBAL, new JoinFixture.ByReplication(), database).write(directory.resolve(GLOBAL));
            try (DocumentClient client = new DocumentClient(database)) {
                List<ObjectNode> all = new ArrayList<>(poisons());
                for (int i = 0; i <= all.size(); i += 2) {
                    all.add(i, good("good-" + i));
                }
                for (ObjectNode each : all) {
                    client.putAll(List.of(each));
                }
                try (BridgeProcess bridge = start(configuration)) {
                    all.stream()
                            .map(document -> document.path("_id").asString())
                            .filter(id -> !id.equals("bottomless"))
                            .forEach(id -> assertThat(client.awaitEnd(id)
                                            .path("job_status")
                                            .asString())
                                    .isEqualTo(id.startsWith("good") ? "success" : "failed"));
                    assertThat(bridge.isAlive()).isTrue();
                }
                try (BridgeProcess bridge = start(configuration)) {
                    client.putAll(List.of(good("later")));
                    assertThat(client.awaitEnd("later").path("job_status").asString())
                            .isEqualTo("success");
                    assertThat(bridge.isAlive()).isTrue();
                }
            }
        }
    }

    private static BridgeProcess start(Path configuration) {
        return BridgeProcess.start(NotingMain.class, configuration, MEMORY, "-XX:+ExitOnOutOfMemoryError");
    }

    private static ObjectNode good(String id) {
        return DocumentClient.json(JOB).put("_id", id);
    }

    private static List<ObjectNode> poisons() {
        List<ObjectNode> poisons = new ArrayList<>();
        poisons.add(good("id-" + "x".repeat(1_000)));
        poisons.add(good("id-" + "y".repeat(9_990)));
        poisons.add(nested("deep", 900));
        poisons.add(nested("bottomless", 1_200));
        for (int i = 0; i < 18; i++) { // each document is readable; all together exceed the heap of the bridge
            poisons.add(good("large-" + i).put("no such field", "x".repeat(4_000_000)));
        }
        ObjectNode years = good("years");
        ((ObjectNode) years.path("job").path(0))
                .put("step_status", "finished")
                .put("executioner", "Node: global_node, worker: 1")
                .put("started_at", "-999999-01-01T00:00:00Z")
                .put("finished_at", "2020-01-01T00:00:00Z");
        poisons.add(years);
        return poisons;
    }

    private static ObjectNode nested(String id, int depth) {
        ObjectNode document = good(id);
        ObjectNode inner = document;
        for (int i = 0; i < depth; i++) {
            inner = inner.putObject("in");
        }
        return document;
    }
}
