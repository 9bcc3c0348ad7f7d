package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.REG_A;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.BridgeMain;
import dev.couchjobs.bridge.servers.CouchServers;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two bridges of the same name, each with its own directory, on one database. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class TwoBridgesTest {
    @TempDir
    private Path directory;

    private CouchServers servers;
    private DocumentClient client;
    private Path first;
    private Path second;

    @BeforeEach
    void start() {
        servers = new CouchServers(1, directory);
        URI database = servers.newDatabase(0);
        client = new DocumentClient(database);
        first = new NodeFile(REG_A, new JoinFixture.ByReplication(), database).write(directory.resolve("first"));
        second = new NodeFile(REG_A, new JoinFixture.ByReplication(), database).write(directory.resolve("second"));
    }

    @AfterEach
    void stop() {
        client.close();
        servers.close();
    }

    private void run(String id) {
        client.put(id, "{'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': 'echo " + id + " >>../ran'}]}");
        assertThat(client.awaitEnd(id).path("job_status").asString()).isEqualTo("success");
    }

    @Test
    void theSecondIsRefusedAndSaysWhyAndTheFirstGoesOn() throws Exception {
        try (Bridge running = Bridge.of(first).start()) {
            running.ready().get(1, TimeUnit.MINUTES);
            try (BridgeProcess refused = BridgeProcess.begin(BridgeMain.class, second)) {
                assertThat(refused.awaitEnd()).isEqualTo(1);
                assertThat(refused.rest()).noneMatch(line -> line.endsWith("runs"));
                assertThat(refused.log())
                        .anyMatch(line -> line.startsWith(
                                        "node reg_a has stopped: another bridge of the name reg_a owns")
                                && line.contains(first.resolveSibling("data").toString())
                                && line.contains(second.resolveSibling("data").toString())
                                && line.contains("--take-over"));
            }
            run("one");
        }
        assertThat(directory.resolve("ran")).hasContent("one");
    }

    @Test
    void afterTheFirstHasEndedTheSecondRuns() throws Exception {
        try (BridgeProcess running = BridgeProcess.start(BridgeMain.class, first)) {
            run("one");
            assertThat(running.end()).isZero();
        }
        try (Bridge running = Bridge.of(second).start()) {
            running.ready().get(1, TimeUnit.MINUTES);
            run("two");
        }
        assertThat(directory.resolve("ran")).hasContent("one\ntwo");
    }

    @Test
    @Tag("processes")
    void whenTheFirstIsLostTheSecondRunsIfItIsToldToTakeOver() throws Exception {
        try (BridgeProcess lost = BridgeProcess.start(BridgeMain.class, first)) {
            run("one");
            lost.kill();
        }
        try (Bridge refused = Bridge.of(second).start()) {
            assertThat(refused.stopped().get(1, TimeUnit.MINUTES)).contains("another bridge of the name reg_a");
            assertThat(refused.why("two").get(1, TimeUnit.MINUTES).lines())
                    .first()
                    .isEqualTo("CouchDB has no document of this id");
            assertThat(refused.why("two").get(1, TimeUnit.MINUTES).lines())
                    .last()
                    .asString()
                    .startsWith("the bridge has stopped: another bridge of the name reg_a owns");
        }
        try (Bridge running = Bridge.of(second).takeOver().start()) {
            running.ready().get(1, TimeUnit.MINUTES);
            run("two");
        }
        assertThat(directory.resolve("ran")).hasContent("one\ntwo");
    }
}
