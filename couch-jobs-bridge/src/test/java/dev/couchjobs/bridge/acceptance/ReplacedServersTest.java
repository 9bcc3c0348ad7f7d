package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.GLOBAL;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_A;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.servers.LocalServer;
import dev.couchjobs.bridge.servers.PlainHttp;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers return at their addresses without their data, while the bridges have kept theirs. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ReplacedServersTest {
    private static final List<String> NODES = List.of(GLOBAL, REG_A);
    /** Jobs of two steps each. */
    private static final int BEFORE = 5;

    @TempDir
    private Path directory;

    private final Map<String, LocalServer> servers = new TreeMap<>();
    private final Map<String, Path> files = new TreeMap<>();
    private final Map<String, Bridge> bridges = new TreeMap<>();
    private final Queue<String> done = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void start() {
        NODES.forEach(node -> servers.put(node, LocalServer.inMemory()));
        for (String node : NODES) {
            NodeFile file = new NodeFile(node, new JoinFixture.ByReplication(), database(node));
            NODES.stream().filter(other -> !other.equals(node)).forEach(other -> file.peer(other, database(other)));
            files.put(node, file.write(directory.resolve(node)));
        }
        startBridges();
        for (int i = 0; i < BEFORE; i++) {
            runsOnBoth("before-" + i);
        }
    }

    private void startBridges() {
        files.forEach((node, file) -> bridges.put(
                node,
                Bridge.of(file)
                        .handler("note", step -> {
                            done.add(step.documentId() + "/" + step.step());
                            return Optional.empty();
                        })
                        .start()));
    }

    private void stopBridges() {
        bridges.values().forEach(Bridge::close);
        bridges.clear();
    }

    @AfterEach
    void stop() {
        stopBridges();
        servers.values().forEach(LocalServer::close);
    }

    private URI database(String node) {
        return Optional.ofNullable(servers.get(node)).orElseThrow().database("jobs");
    }

    /** Writes a job into a database, from where it goes to the other node and back. */
    private void runsOnBoth(String id) {
        try (DocumentClient client = new DocumentClient(database(GLOBAL))) {
            client.put(id, """
                    {'creator': 'global_node', 'job': [{'target': 'reg_a', 'kind': 'java', 'do': 'note'},
                      {'target': 'global_node', 'kind': 'java', 'do': 'note'}]}""");
            assertThat(client.awaitEnd(id).path("job_status").asString()).isEqualTo("success");
        }
        assertThat(done).containsOnlyOnce(id + "/0", id + "/1");
    }

    @Test
    void bridgesThatKeptRunningTakeUpWhatIsPutThere() {
        servers.values().forEach(LocalServer::restart);
        runsOnBoth("after");
        assertThat(done).containsOnlyOnce("before-0/0", "before-4/1");
    }

    @Test
    void bridgesThatAreStartedAgainTakeUpWhatIsPutThere() {
        stopBridges();
        servers.values().forEach(LocalServer::restart);
        startBridges();
        runsOnBoth("after");
        assertThat(done).containsOnlyOnce("before-0/0", "before-4/1");
    }

    @Test
    void whatIsStillThereIsReadAgainAndChangesNothing() {
        stopBridges();
        List<Long> before = generations();
        NODES.forEach(node -> assertThat(
                        PlainHttp.send("DELETE", URI.create(database(node) + "/_local/couch-jobs?rev=0-1")))
                .isEqualTo(200));
        startBridges();
        runsOnBoth("after");
        assertThat(generations()).isEqualTo(before);
        assertThat(done).doesNotHaveDuplicates().hasSize(2 * (BEFORE + 1));
    }

    private List<Long> generations() {
        try (DocumentClient client = new DocumentClient(database(GLOBAL))) {
            return IntStream.range(0, BEFORE)
                    .mapToObj(i -> client.generation("before-" + i))
                    .toList();
        }
    }
}
