package dev.couchjobs.bridge.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.BridgeMain;
import dev.couchjobs.bridge.servers.CouchServers;
import dev.couchjobs.bridge.servers.LocalServer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log of the program. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
@Tag("processes")
class LogTest {
    @TempDir
    private Path directory;

    @Test
    void whatBecomesOfAJobThatDoesNotSucceedIsOneLine() {
        try (CouchServers servers = new CouchServers(1, directory)) {
            URI database = servers.newDatabase(0);
            try (DocumentClient client = new DocumentClient(database);
                    BridgeProcess bridge = BridgeProcess.start(BridgeMain.class, file(database))) {
                client.put("unlucky", job("exit 4"));
                bridge.awaitLog("Node reg_a: document unlucky has failed: job[0] has failed on reg_a: exit status 4");
                client.put("endless", job("exec sleep 1000"));
                awaitRunning(client, "endless");
                client.edit(
                        "endless",
                        document -> document.put("job_status", "cancelled").put("reason", "no more"));
                bridge.awaitLog("Node reg_a: document endless was cancelled: no more");
                client.put("wrong", "{'creator': 'reg_a', 'job': []}");
                bridge.awaitLog("Node reg_a: document wrong cannot be run: job: has 0 steps");
                client.delete("unlucky");
                bridge.awaitLog("Node reg_a: document unlucky was deleted");

                assertThat(bridge.end()).isZero();
                assertThat(bridge.log().stream().filter(line -> line.contains("document")))
                        .hasSize(4);
            }
        }
    }

    @Test
    void aBridgeThatEndsSaysForWhatItWaitsAndWhenItHasEnded() throws Exception {
        Path pipe = directory.resolve("pipe");
        Process made = new ProcessBuilder("mkfifo", pipe.toString()).start();
        assertThat(made.waitFor()).isZero();
        try (CouchServers servers = new CouchServers(1, directory)) {
            URI database = servers.newDatabase(0);
            try (DocumentClient client = new DocumentClient(database);
                    BridgeProcess bridge = BridgeProcess.start(BridgeMain.class, file(database))) {
                client.put("slow", job("cat " + pipe));
                awaitRunning(client, "slow");
                bridge.terminate();
                bridge.awaitLog("Node reg_a: waiting for 1 step to end: document slow step 0; ");
                Files.writeString(pipe, "at last");

                bridge.awaitLine("node reg_a has ended");
                assertThat(bridge.awaitEnd()).isZero();
                assertThat(client.awaitEnd("slow").path("job_status").asString())
                        .isEqualTo("success");
            }
        }
    }

    @Test
    void aBridgeThatHasNeverReachedItsCouchDbEndsWithoutComplaint() {
        Path file = file(URI.create("http://127.0.0.1:1/jobs"));
        try (BridgeProcess bridge = BridgeProcess.begin(BridgeMain.class, file)) {
            bridge.awaitLine("node reg_a waits for http://127.0.0.1:1/jobs");
            assertThat(bridge.end()).isZero();
            assertThat(bridge.rest()).noneMatch(line -> line.endsWith("runs") || line.equals("ready"));

            assertThat(bridge.log()).noneMatch(line -> line.contains("ERROR") || line.startsWith("\tat "));
        }
    }

    @Test
    void aWrongPasswordIsOneLineThatSaysWhoIsRefusedAndWhatToDo() {
        try (LocalServer server = LocalServer.withPassword("jo", "right")) {
            URI wrong = URI.create(server.database("jobs").toString().replace("jo:right@", "jo:wrong@"));
            try (BridgeProcess bridge = BridgeProcess.begin(BridgeMain.class, file(wrong))) {
                String line = bridge.awaitLog("does not accept");
                assertThat(line).contains("Node reg_a", "the user jo", "it answers 401", "password_file");
                assertThat(bridge.end()).isZero();
                assertThat(bridge.rest()).noneMatch(said -> said.endsWith("runs") || said.equals("ready"));
                assertThat(bridge.log())
                        .containsOnlyOnce(line)
                        .filteredOn(said -> said.contains("answers 401"))
                        .hasSize(1);
            }
        }
    }

    @Test
    void aBridgeWhoseDirectoryIsRemovedSaysSoAndEnds() throws Exception {
        try (CouchServers servers = new CouchServers(1, directory)) {
            Path file = file(servers.newDatabase(0));
            try (BridgeProcess bridge = BridgeProcess.start(BridgeMain.class, file)) {
                Path data = file.resolveSibling("data-reg_a");
                Process removed = new ProcessBuilder("rm", "-r", data.toString()).start();
                assertThat(removed.waitFor()).isZero();
                assertThat(bridge.awaitEnd()).isEqualTo(1);
                assertThat(bridge.log())
                        .anyMatch(line ->
                                line.startsWith("node reg_a has stopped: the directory " + data + " was removed"));
            }
        }
    }

    @Test
    void aProgramIsReadyWhenItsDatabaseHasAnswered() {
        try (LocalServer server = LocalServer.withPassword("jo", "right");
                BridgeProcess bridge = BridgeProcess.begin(BridgeMain.class, file(server.database("jobs")))) {
            bridge.awaitLine("node reg_a runs");
            bridge.awaitLine("ready");
            assertThat(bridge.end()).isZero();
        }
    }

    private Path file(URI database) {
        return new NodeFile(NodeFile.REG_A, new JoinFixture.ByReplication(), database).write(directory.resolve("node"));
    }

    private static void awaitRunning(DocumentClient client, String id) {
        client.await(
                id, document -> document.at("/job/0/step_status").asString("").equals("running"));
    }

    private static String job(String command) {
        return "{'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': '" + command + "'}]}";
    }
}
