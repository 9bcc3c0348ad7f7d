package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.REG_A;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_B;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.BridgeMain;
import dev.couchjobs.bridge.servers.LocalServer;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Asks a running bridge why a document is not being worked on. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class WhyTest {
    private static final String SLOW = "{'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': 'exec sleep 1000'}]}";

    @TempDir
    private Path directory;

    @Test
    @Tag("processes")
    void theBridgeOfTheConfigurationAnswersAlsoIfOneBeforeItWasKilled() {
        try (LocalServer server = LocalServer.inMemory();
                DocumentClient client = new DocumentClient(server.database("jobs"))) {
            Path file = file(server.database("jobs"));
            try (BridgeProcess killed = BridgeProcess.start(BridgeMain.class, file)) {
                client.put("slow", SLOW);
                client.await(
                        "slow",
                        document ->
                                document.at("/job/0/step_status").asString("").equals("running"));
                assertThat(why("slow", file)).startsWith("node reg_a: step 0, for reg_a, runs on this node since ");
                killed.kill();
            }
            assertThat(why("slow", file)).startsWith("node reg_a: no bridge answers");
            try (BridgeProcess bridge = BridgeProcess.start(BridgeMain.class, file)) {
                assertThat(why("none", file)).isEqualTo("node reg_a: CouchDB has no document of this id");
                assertThat(bridge.log()).noneMatch(line -> line.contains("--why"));
            }
        }
    }

    @Test
    void aBridgeWhosePasswordIsWrongSaysSo() {
        try (LocalServer server = LocalServer.withPassword("jo", "right")) {
            Path file = file(URI.create(server.database("jobs").toString().replace("jo:right@", "jo:wrong@")));
            try (BridgeProcess bridge = BridgeProcess.begin(BridgeMain.class, file)) {
                bridge.awaitLog("does not accept");
                assertThat(why("x", file).lines())
                        .hasSize(2)
                        .startsWith("node reg_a: CouchDB does not answer. The bridge has not seen the document yet")
                        .last()
                        .asString()
                        .contains("does not accept the user jo", "it answers 401");
            }
        }
    }

    @Test
    void aBridgeWhoseCouchDbIsDownSaysSo() throws Exception {
        Path file = file(URI.create("http://127.0.0.1:1/jobs"));
        try (Bridge bridge = Bridge.of(file).start()) {
            assertThat(bridge.why("x").get(1, TimeUnit.MINUTES).lines())
                    .hasSize(2)
                    .startsWith("CouchDB does not answer. The bridge has not seen the document yet")
                    .last()
                    .asString()
                    .startsWith("http://127.0.0.1:1/jobs: ");
        }
    }

    private static String why(String document, Path file) {
        return BridgeProcess.why(BridgeMain.class, file, document);
    }

    private Path file(URI database) {
        return new NodeFile(REG_A, new JoinFixture.ByReplication(), database)
                .peer(REG_B, URI.create("http://127.0.0.1:1/jobs"))
                .write(directory.resolve("node"));
    }
}
