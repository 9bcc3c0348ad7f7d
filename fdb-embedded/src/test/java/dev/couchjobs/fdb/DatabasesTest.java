package dev.couchjobs.fdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.testing.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabasesTest {
    private static final byte[] KEY = "key".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path directory;

    private static byte @Nullable [] value(Database database) {
        return database.read(tx -> tx.get(KEY).join());
    }

    @Test
    void aDirectoryKeepsWhatWasWritten() {
        String place = directory.resolve("data").toString();
        try (Database database = Databases.open(place)) {
            database.run(tx -> {
                tx.set(KEY, KEY);
                return tx;
            });
        }
        try (Database database = Databases.open(place)) {
            assertThat(value(database)).isEqualTo(KEY);
        }
    }

    @Test
    void memoryIsEmptyAtFirst() {
        try (Database database = Databases.inMemory()) {
            assertThat(value(database)).isNull();
        }
    }

    @Test
    void aClusterFileThatIsNotThereIsNamedWithWhereOnesComeFrom() {
        Path missing = directory.resolve("fdb.cluster");

        assertThatThrownBy(() -> Databases.open(missing.toString()))
                .isInstanceOf(ClusterUnavailableException.class)
                .hasMessageContainingAll(missing.toString(), "/etc/foundationdb/fdb.cluster", "FDB_CLUSTER_FILE");
    }

    @Test
    void aFileThatIsNoClusterFileIsSaidToBeNone() throws IOException {
        Path text = Files.writeString(directory.resolve("notes"), "# where\nhello\n");
        Path two = Files.writeString(directory.resolve("two"), "a:b@127.0.0.1:1\nc:d@127.0.0.1:2\n");

        assertThatThrownBy(() -> Databases.open(text.toString()))
                .isInstanceOf(ClusterUnavailableException.class)
                .hasMessageContainingAll(text.toString(), "hello", "docker:docker@127.0.0.1:4500");
        assertThatThrownBy(() -> Databases.open(two.toString()))
                .isInstanceOf(ClusterUnavailableException.class)
                .hasMessageContaining("2 lines");
    }

    @Test
    void aConnectionStringBecomesAFileForTheClient() {
        ClusterFile file = ClusterFile.written(new DatabaseLocation.Connection("a:b@10.0.0.1:4500:tls,10.0.0.2:4500"));

        assertThat(file.path()).hasContent("a:b@10.0.0.1:4500:tls,10.0.0.2:4500");
        assertThat(file.coordinators()).containsExactly("10.0.0.1:4500:tls", "10.0.0.2:4500");
    }

    @Test
    void aMissingClientIsNamedWithWhereItWasLookedForAndWhatInstallsIt() {
        String message =
                MissingClientHelp.missing(new UnsatisfiedLinkError("libfdb_c.so: cannot open shared object file"));

        assertThat(message)
                .contains(
                        System.mapLibraryName("fdb_c"),
                        System.getProperty("java.library.path"),
                        "foundationdb-clients",
                        "FDB_LIBRARY_PATH_FDB_C",
                        "cannot open shared object file");
    }

    @Test
    void aSilentClusterIsToldFromOneThatIsNotThere() throws IOException {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String there = "127.0.0.1:" + listening.getLocalPort();
            String nowhere = "127.0.0.1:" + Ports.free() + ":tls";

            assertThat(explained(1031, there)).contains("within 5 seconds", "can be reached", "fdbcli");
            assertThat(explained(1031, there, nowhere)).contains("Nothing listens at [" + nowhere + "]");
        }
    }

    @Test
    void aLockedClusterAndAnyOtherErrorAreSaidToBeWhatTheyAre() {
        assertThat(explained(1038, "127.0.0.1:1")).contains("locked", "unlock");
        assertThat(explained(2000, "127.0.0.1:1")).contains("2000", "what it says");
    }

    private String explained(int code, String... coordinators) {
        return ClusterDiagnostics.explained(
                new ClusterFile(directory.resolve("fdb.cluster"), List.of(coordinators)),
                ClusterOptions.defaults(),
                new FDBException("what it says", code));
    }

    @Test
    void optionsThatMakeNoSenseAreRefused() {
        ClusterOptions options = ClusterOptions.defaults();

        assertThatThrownBy(() -> options.answerWithin(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.timeout(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.retries(-2)).isInstanceOf(IllegalArgumentException.class);
    }
}
