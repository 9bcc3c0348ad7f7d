package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.GLOBAL;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_A;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.BridgeMain;
import dev.couchjobs.bridge.servers.CouchServers;
import dev.couchjobs.bridge.servers.Wire;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A bridge is killed at each point of a step, and another one starts with the same directory. Nothing is lost, and an action is repeated only if it
 * had begun and its end was not committed. The cases run in parallel, because most of their time is the wait for the
 * expiry of a dead process's claim.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 4, unit = TimeUnit.MINUTES)
@Tag("processes")
class KilledBridgeTest {
    @TempDir
    private Path directory;

    private CouchServers servers;
    private URI database;
    private DocumentClient client;
    private ActionServer server;
    private Wire toCouch;
    private Wire toServer;
    private Path configuration;

    @BeforeEach
    void start() {
        servers = new CouchServers(1, directory);
        database = servers.newDatabase(0);
        client = new DocumentClient(database);
        server = new ActionServer();
        toCouch = new Wire(servers.get(0).address());
        toServer = new Wire(server.address());
        configuration = new NodeFile(REG_A, new JoinFixture.ByReplication(), toCouch.through(database))
                .write(directory.resolve(REG_A));
    }

    @AfterEach
    void stop() {
        client.close();
        toServer.close();
        toCouch.close();
        server.close();
        servers.close();
    }

    private BridgeProcess bridge() {
        return BridgeProcess.start(BridgeMain.class, configuration);
    }

    private String step(String target, String path) {
        return "{'target': '%s', 'kind': 'http', 'do': 'POST %s'}"
                .formatted(target, toServer.through(server.address().resolve(path)));
    }

    private void put(String id, String creator, String... steps) {
        client.put(id, "{'creator': '%s', 'job': [%s]}".formatted(creator, String.join(", ", steps)));
    }

    private static JsonNode step(ObjectNode document, int index) {
        return document.path("job").path(index);
    }

    private void awaitRunning(String id) {
        client.await(
                id,
                document -> step(document, 0).path("step_status").asString("").equals("running"));
    }

    private ObjectNode assertSuccess(String id) {
        ObjectNode document = client.awaitEnd(id);
        assertThat(document.path("job_status").asString()).as("%s", document).isEqualTo("success");
        return document;
    }

    @Test
    void beforeItHasSeenTheDocument() {
        BridgeProcess first = bridge();
        put("before", REG_A, step(REG_A, "before"));
        server.next("/before").answer();
        assertSuccess("before");
        toCouch.fallSilent();
        put("unseen", REG_A, step(REG_A, "unseen"));
        first.kill();
        toCouch.join();

        try (Bridge second = Bridge.of(configuration).start()) {
            server.next("/unseen").answer();
            assertSuccess("unseen");
            assertThat(second).isNotNull();
        }
        assertThat(server.visits("/before")).isEqualTo(1);
        assertThat(server.visits("/unseen")).isEqualTo(1);
    }

    @Test
    void whenItHasClaimedAStep() {
        BridgeProcess first = bridge();
        put("claimed", GLOBAL, step("any", "claimed"));
        client.await(
                "claimed",
                document -> step(document, 0).path("claimed_by").asString("").equals(REG_A));
        first.kill();

        try (Bridge second = Bridge.of(configuration).start()) {
            // The claim of the dead process stands, because another node may have won. As none has, the restarted node
            // withdraws it and claims again, in one revision.
            nameWinner("claimed");
            client.await(
                    "claimed", document -> step(document, 0).path("withdrawn").asInt() == 1);
            nameWinner("claimed");
            server.next("/claimed").answer();
            client.await(
                    "claimed",
                    document ->
                            step(document, 0).path("step_status").asString("").equals("finished"));
            assertThat(second).isNotNull();
        }
        assertThat(server.visits("/claimed")).isEqualTo(1);
        assertThat(client.generation("claimed")).isLessThanOrEqualTo(7);
    }

    @Test
    void whenItHasWonAStepAndDoesNotKnow() {
        BridgeProcess first = bridge();
        put("won", GLOBAL, step("any", "won"));
        client.await(
                "won",
                document -> step(document, 0).path("claimed_by").asString("").equals(REG_A));
        toCouch.fallSilent();
        nameWinner("won");
        first.kill();
        toCouch.join();

        try (Bridge second = Bridge.of(configuration).start()) {
            client.await("won", document -> step(document, 0).path("withdrawn").asInt() == 1);
            nameWinner("won");
            server.next("/won").answer();
            client.await(
                    "won",
                    document ->
                            step(document, 0).path("step_status").asString("").equals("finished"));
            assertThat(second).isNotNull();
        }
        assertThat(server.visits("/won")).isEqualTo(1);
    }

    /** Names the winner as the creator's bridge does. */
    private void nameWinner(String id) {
        client.edit(id, document -> {
            ((ObjectNode) step(document, 0)).put("winner", REG_A);
            return document;
        });
    }

    @Test
    void whenItHasBegunAStepButNotItsAction() throws InterruptedException {
        toServer.fallSilent();
        BridgeProcess first = bridge();
        put("begun", REG_A, step(REG_A, "begun"));
        awaitRunning("begun");
        toServer.awaitHeld();
        first.kill();
        toServer.join();

        try (Bridge second = Bridge.of(configuration).start()) {
            server.next("/begun").answer();
            ObjectNode document = assertSuccess("begun");
            assertThat(step(document, 0).path("begun").asInt()).isEqualTo(2);
            assertThat(second).isNotNull();
        }
        assertThat(server.visits("/begun")).isEqualTo(1);
    }

    @Test
    void whileACommandRuns() {
        BridgeProcess first = bridge();
        LongCommand command = new LongCommand(directory.resolve(REG_A));
        client.put("running", """
                {'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': 'echo ran >>ran; if mkdir first; then %s; fi'}]}""".formatted(LongCommand.TEXT));
        List<ProcessHandle> processes = command.processes();
        awaitRunning("running");
        first.kill();
        LongCommand.awaitEnd(processes);

        try (Bridge second = Bridge.of(configuration).start()) {
            assertSuccess("running");
            assertThat(second).isNotNull();
        }
        assertThat(configuration.resolveSibling("ran")).hasContent("ran\nran\n");
    }

    @Test
    void whenTheActionIsDoneAndItsEndIsNotCommitted() {
        BridgeProcess first = bridge();
        put("done", REG_A, step(REG_A, "done"));
        ActionServer.Visit done = server.next("/done");
        awaitRunning("done");
        first.kill();
        done.answer();

        try (Bridge second = Bridge.of(configuration).start()) {
            server.next("/done").answer();
            assertSuccess("done");
            assertThat(second).isNotNull();
        }
        assertThat(server.visits("/done")).isEqualTo(2);
    }

    @Test
    void whenTheEndIsCommittedAndNotWrittenBack() {
        BridgeProcess first = bridge();
        put("unwritten", REG_A, step(REG_A, "one"), step(REG_A, "two"));
        ActionServer.Visit one = server.next("/one");
        awaitRunning("unwritten");
        toCouch.fallSilent();
        one.answer();
        ActionServer.Visit two = server.next("/two"); // so the end of the first step is committed
        first.kill();
        two.answer();
        assertThat(step(client.read("unwritten").current().orElseThrow().body(), 0)
                        .path("step_status")
                        .asString())
                .isEqualTo("running");
        toCouch.join();

        try (Bridge second = Bridge.of(configuration).start()) {
            client.await(
                    "unwritten",
                    document ->
                            step(document, 0).path("step_status").asString("").equals("finished"));
            server.next("/two").answer();
            assertSuccess("unwritten");
            assertThat(second).isNotNull();
        }
        assertThat(server.visits("/one")).isEqualTo(1);
        assertThat(server.visits("/two")).isEqualTo(2);
    }

    @Test
    void aBridgeThatIsStartedElsewhereGoesOnWithTheSameDirectory() {
        BridgeProcess first = bridge();
        put("moved", REG_A, step(REG_A, "moved"), step("any", "last"));
        server.next("/moved");
        first.kill();

        try (Bridge second = Bridge.of(configuration).start()) {
            server.next("/moved").answer();
            server.next("/last").answer();
            assertSuccess("moved");
            assertThat(second).isNotNull();
        }
        assertThat(server.visits("/moved")).isEqualTo(2);
        assertThat(server.visits("/last")).isEqualTo(1);
    }
}
