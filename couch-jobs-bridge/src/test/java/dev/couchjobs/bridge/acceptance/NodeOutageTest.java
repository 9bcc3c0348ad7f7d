package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.GLOBAL;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_A;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_B;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.servers.LocalServer;
import dev.couchjobs.bridge.servers.Wire;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/**
 * Servers die and networks fail while jobs run, between nodes that replicate. The test starts its own servers, because
 * it has to kill them and put proxies between them.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class NodeOutageTest {
    private static final int JOBS = 20;

    @TempDir
    private Path directory;

    private final Map<String, LocalServer> servers = new TreeMap<>();
    private final Map<String, DocumentClient> clients = new TreeMap<>();
    private final Map<String, Bridge> bridges = new TreeMap<>();
    /** The proxies from the global node to the regional ones, and back. */
    private final Map<String, Wire> wires = new TreeMap<>();

    private final Queue<String> done = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void start() {
        for (String node : NodeFile.ALL) {
            LocalServer server = LocalServer.onDisk(directory.resolve("couch-" + node));
            servers.put(node, server);
            wires.put(node, new Wire(server.address()));
            clients.put(node, new DocumentClient(server.database("jobs")));
        }
        NodeFile.ALL.forEach(node -> {
            NodeFile file = new NodeFile(node, new JoinFixture.ByReplication(), database(node)).workers(4);
            NodeFile.ALL.stream().filter(other -> !other.equals(node)).forEach(other -> {
                boolean isWithinHalf = !node.equals(GLOBAL) && !other.equals(GLOBAL);
                file.peer(other, isWithinHalf ? database(other) : wire(other).through(database(other)));
            });
            bridges.put(
                    node,
                    Bridge.of(file.write(directory.resolve(node)))
                            .handler("note", step -> {
                                done.add(step.documentId() + "/" + step.step());
                                return Optional.empty();
                            })
                            .start());
        });
    }

    @AfterEach
    void stop() {
        bridges.values().forEach(Bridge::close);
        clients.values().forEach(DocumentClient::close);
        wires.values().forEach(Wire::close);
        servers.values().forEach(LocalServer::close);
    }

    private LocalServer server(String node) {
        return Optional.ofNullable(servers.get(node)).orElseThrow();
    }

    private Wire wire(String node) {
        return Optional.ofNullable(wires.get(node)).orElseThrow();
    }

    private URI database(String node) {
        return server(node).database("jobs");
    }

    private DocumentClient at(String node) {
        return Optional.ofNullable(clients.get(node)).orElseThrow();
    }

    private void awaitSuccessEverywhere(String id) {
        NodeFile.ALL.forEach(node -> {
            at(node).awaitStored(
                            id,
                            stored -> stored.leaves().size() == 1
                                    && stored.current()
                                            .filter(leaf -> leaf.body()
                                                    .path("job_status")
                                                    .asString("")
                                                    .equals("success"))
                                            .isPresent());
        });
    }

    private void assertOnce(String note) {
        assertThat(done.stream().filter(note::equals)).as(note).hasSize(1);
    }

    @Test
    void aServerThatIsKilledAndRestartedKeepsNoJobFromItsEnd() {
        for (int i = 0; i < JOBS; i++) {
            at(GLOBAL).put("job-" + i, """
                    {'creator': 'global_node', 'job': [{'target': 'any', 'kind': 'java', 'do': 'note'},
                      {'target': 'reg_a', 'kind': 'java', 'do': 'note'}, {'target': 'regional', 'kind': 'java', 'do': 'note'}]}""");
        }
        at(REG_A).awaitCount(1, document -> document.path("step").asInt() >= 1);
        server(REG_A).kill();
        server(REG_A).restart();
        at(GLOBAL).awaitCount(2, document -> document.path("step").asInt() >= 2);
        server(GLOBAL).kill();
        server(GLOBAL).restart();

        for (int i = 0; i < JOBS; i++) {
            awaitSuccessEverywhere("job-" + i);
            for (int step = 0; step < 3; step++) {
                assertOnce("job-" + i + "/" + step);
            }
        }
    }

    @Test
    void stepsThatWereClaimedInBothHalvesOfACutNetworkRunOnce() {
        at(GLOBAL).put("before", """
                {'creator': 'global_node', 'job': [{'target': 'all', 'kind': 'java', 'do': 'note'}]}""");
        awaitSuccessEverywhere("before");
        wires.values().forEach(Wire::cut);

        // A person writes each on both sides.
        Map<String, String> documents = Map.of(
                "of-global", """
                {'creator': 'global_node', 'job': [{'target': 'any', 'kind': 'java', 'do': 'note'}, {'target': 'reg_b', 'kind': 'java', 'do': 'note'}]}""",
                "of-region", """
                {'creator': 'reg_a', 'job': [{'target': ['global_node', 'reg_b'], 'kind': 'java', 'do': 'note'}, {'target': 'any', 'kind': 'java', 'do': 'note'}]}""",
                "of-both", """
                {'creator': 'global_node', 'job': [{'target': 'regional', 'kind': 'java', 'do': 'note'}]}""");
        documents.forEach((id, json) -> {
            at(GLOBAL).put(id, json);
            at(REG_B).put(id, json);
        });
        // The half with the creator continues; in the other half there are claims.
        at(GLOBAL).await("of-global", document -> document.path("step").asInt() == 1);
        at(REG_B).await("of-global", document -> isClaimed(document, 0));
        at(REG_A)
                .await(
                        "of-region",
                        document -> document.path("job_status").asString("").equals("success"));
        at(GLOBAL).await("of-region", document -> isClaimed(document, 0));
        at(REG_B).await("of-both", document -> isClaimed(document, 0));
        wires.values().forEach(Wire::join);

        documents.keySet().forEach(this::awaitSuccessEverywhere);
        assertOnce("of-global/0");
        assertOnce("of-global/1");
        assertOnce("of-region/0");
        assertOnce("of-region/1");
        assertOnce("of-both/0");
    }

    private static boolean isClaimed(ObjectNode document, int step) {
        return !document.path("job").path(step).path("claimed_by").asString("").isEmpty();
    }

    @Test
    void aJobOfOneHalfGoesOnWhileTheNetworkIsCut() {
        at(REG_A).put("within", """
                {'creator': 'reg_a', 'job': [{'target': 'reg_b', 'kind': 'java', 'do': 'note'}, {'target': 'global_node', 'kind': 'java', 'do': 'note'},
                  {'target': 'regional', 'kind': 'java', 'do': 'note'}]}""");
        awaitSuccessEverywhere("within");
        wires.values().forEach(Wire::cut);
        at(REG_A).put("across", """
                {'creator': 'reg_a', 'job': [{'target': 'reg_b', 'kind': 'java', 'do': 'note'}, {'target': 'global_node', 'kind': 'java', 'do': 'note'},
                  {'target': 'regional', 'kind': 'java', 'do': 'note'}]}""");
        at(REG_B).await("across", document -> document.path("step").asInt() == 1);
        assertThat(done).doesNotContain("across/1");
        wires.values().forEach(Wire::join);

        awaitSuccessEverywhere("across");
        for (int step = 0; step < 3; step++) {
            assertOnce("across/" + step);
        }
    }
}
