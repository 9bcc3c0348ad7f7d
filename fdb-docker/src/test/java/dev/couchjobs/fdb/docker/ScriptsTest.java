package dev.couchjobs.fdb.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The scripts of the image, run without an image and without FoundationDB. */
@Timeout(60)
class ScriptsTest {
    private static final String AVAILABLE = "The database is available.";
    private static final String UNAVAILABLE = "The database is unavailable; type 'status' for more information.";
    private static final String SILENCE = "Specified timeout reached -- exiting...";
    private static final String CREATED = "Database created";
    private static final String EXISTS = "ERROR: Database already exists! To change configuration, don't say 'new'";
    private static final String NEW = "fdbcli --timeout 10 --exec configure new single ssd";

    @TempDir
    private Path directory;

    private final Map<String, String> environment = new HashMap<>();
    private FakeContainer fakeContainer;

    @BeforeEach
    void begin() {
        fakeContainer = new FakeContainer(directory);
        environment.put("FDB_DIRECTORY", fakeContainer.file("volume").toString());
        environment.put(
                "FDB_CLUSTER_FILE", fakeContainer.file("volume/fdb.cluster").toString());
        environment.put("FDB_CLUSTER_FILE_CONTENTS", "dev:single@127.0.0.1:4550");
        environment.put("FDB_CONFIGURATION", "single ssd");
        environment.put("FDB_MACHINE", "fdb");
        environment.put("FDB_PORT", "4550");
    }

    static Stream<Path> scripts() {
        return Module.scripts();
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void aScriptIsWellFormedAndStopsAtErrors(Path script) throws IOException, InterruptedException {
        assertThat(Files.isExecutable(script)).isTrue();
        assertThat(Module.read(script))
                .startsWith("#!/bin/sh\n")
                .contains("\nset -eu\n")
                .doesNotContain("\r");
        Process sh = new ProcessBuilder("sh", "-n", script.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(sh.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(sh.waitFor()).isZero();
    }

    @Test
    void firstStart_makesTheDatabaseAndMarksTheVolume() {
        fakeContainer.fdbcliSays(SILENCE, 1).fdbcliSays(CREATED, 0);

        assertThat(configure().callsOf("fdbcli")).hasSize(2).endsWith(NEW);
        assertThat(fakeContainer.file("volume/configured")).exists();
    }

    @Test
    void laterStart_asksForNothing() {
        fakeContainer.fdbcliSays(SILENCE, 1).fdbcliSays(CREATED, 0);
        configure();

        assertThat(configure().calls()).isEmpty();
    }

    @Test
    void startWithADatabaseThatAnswers_leavesItAlone() {
        fakeContainer.fdbcliSays(AVAILABLE, 0);

        assertThat(configure().callsOf("fdbcli")).doesNotContain(NEW);
        assertThat(fakeContainer.file("volume/configured")).exists();
    }

    @Test
    void startOfAServerThatTakesLong_isWaitedFor() {
        fakeContainer
                .fdbcliSays(SILENCE, 1)
                .fdbcliSays(SILENCE, 1)
                .fdbcliSays(UNAVAILABLE, 0)
                .fdbcliSays(SILENCE, 1)
                .fdbcliSays(SILENCE, 1)
                .fdbcliSays(CREATED, 0);

        FakeContainer.Outcome outcome = configure();
        assertThat(outcome.callsOf("fdbcli")).hasSize(6);
        assertThat(outcome.callsOf("sleep")).hasSize(2);
    }

    @Test
    void startWithADatabaseThatIsSilentAtFirst_isOverWhenItAnswers() {
        fakeContainer.fdbcliSays(SILENCE, 1).fdbcliSays(EXISTS, 1).fdbcliSays(AVAILABLE + " It has issues.", 0);

        assertThat(configure().callsOf("fdbcli")).hasSize(3).containsOnlyOnce(NEW);
        assertThat(fakeContainer.file("volume/configured")).exists();
    }

    @Test
    void healthy_ifTheDatabaseIsSaidToBeAvailable() {
        fakeContainer
                .fdbcliSays(AVAILABLE, 0)
                .fdbcliSays("The database is available, but has issues (type 'status' for more information).", 0);

        assertThat(healthy()).isZero();
        assertThat(healthy()).isZero();
    }

    @Test
    void notHealthy_ifItIsNotSaid() {
        fakeContainer.fdbcliSays(UNAVAILABLE, 0);
        assertThat(healthy()).isOne();
    }

    @Test
    void notHealthy_ifFdbcliFails() {
        fakeContainer.fdbcliSays(AVAILABLE, 1);
        assertThat(healthy()).isOne();
    }

    @Test
    void node_startsTheServerWhereItIsReached() {
        environment.remove("FDB_CONFIGURATION");

        assertThat(node("--memory", "2GiB").calls())
                .containsExactly(("fdbserver --cluster-file %1$s/fdb.cluster --public-address 127.0.0.1:4550"
                                + " --listen-address 0.0.0.0:4550 --datadir %1$s/data --logdir %1$s/logs"
                                + " --locality-machineid fdb --locality-zoneid fdb --memory 2GiB")
                        .formatted(fakeContainer.file("volume")));
        assertThat(fakeContainer.file("volume/data")).isDirectory();
        assertThat(fakeContainer.file("volume/logs")).isDirectory();
    }

    @Test
    void node_announcesTheAddressOfAnotherMachine() {
        environment.remove("FDB_CONFIGURATION");
        environment.put("FDB_PUBLIC_IP", "192.0.2.7");

        assertThat(node().calls()).singleElement().asString().contains("--public-address 192.0.2.7:4550 ");
    }

    @Test
    void node_writesTheClusterFileOnce() throws IOException {
        environment.remove("FDB_CONFIGURATION");
        node();
        Path clusterFile = fakeContainer.file("volume/fdb.cluster");
        assertThat(clusterFile).hasContent("dev:single@127.0.0.1:4550");

        Files.writeString(clusterFile, "dev:moved@127.0.0.1:4551\n");
        node();
        assertThat(clusterFile).hasContent("dev:moved@127.0.0.1:4551");
    }

    @Test
    void node_makesTheDatabaseIfItIsTheOneThatDoes() {
        fakeContainer.fdbcliSays(SILENCE, 1).fdbcliSays(CREATED, 0);

        FakeContainer.Outcome outcome = node();
        assertThat(outcome.callsOf("fdbcli")).contains(NEW);
        assertThat(outcome.callsOf("fdbserver")).hasSize(1);
    }

    @Test
    void node_saysWhatItLacks() {
        environment.remove("FDB_PORT");
        environment.remove("FDB_CONFIGURATION");

        FakeContainer.Outcome outcome = node();
        assertThat(outcome.status()).isNotZero();
        assertThat(outcome.said()).contains("FDB_PORT");
        assertThat(outcome.calls()).isEmpty();
    }

    private FakeContainer.Outcome node(String... options) {
        return fakeContainer.run(environment, "fdb-node", options);
    }

    private FakeContainer.Outcome configure() {
        fakeContainer.file("volume").toFile().mkdir();
        FakeContainer.Outcome outcome = fakeContainer.run(environment, "fdb-configure");
        assertThat(outcome.status()).as(outcome.said()).isZero();
        return outcome;
    }

    private int healthy() {
        return fakeContainer.run(environment, "fdb-healthy").status();
    }
}
