package dev.couchjobs.fdb.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Tuple;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.Container.ExecResult;

/** The container with Docker: see the profile docker. */
class FoundationDbContainerClusterTest {
    private static final byte[] KEY = Tuple.from("key").pack();

    @Test
    void startedContainerHasADatabase() {
        try (FoundationDbContainer container = new FoundationDbContainer()) {
            container.start();
            try (Database database = container.open()) {
                write(database);
                assertThat(value(database)).isEqualTo(KEY);
            }
        }
    }

    @Test
    void containersSideBySideAreDifferentClusters() {
        try (FoundationDbContainer one = new FoundationDbContainer();
                FoundationDbContainer other = new FoundationDbContainer()) {
            one.start();
            other.start();
            assertThat(one.clusterFile()).isNotEqualTo(other.clusterFile());
            try (Database first = one.open();
                    Database second = other.open()) {
                write(first);
                assertThat(value(second)).isNull();
            }
        }
    }

    @Test
    void fdbcliInTheContainerReachesTheDatabase() throws IOException, InterruptedException {
        try (FoundationDbContainer container = new FoundationDbContainer()) {
            container.start();
            ExecResult status = container.execInContainer("fdbcli", "--exec", "status minimal");
            assertThat(status.getStdout()).contains("The database is available");
        }
    }

    @Test
    void stoppedContainerHasNone() {
        FoundationDbContainer container = new FoundationDbContainer();
        container.start();
        Path clusterFile = container.clusterFile();
        assertThat(clusterFile).isNotEmptyFile();
        container.stop();
        assertThatIllegalStateException().isThrownBy(container::clusterFile);
    }

    private static void write(Database database) {
        database.run(tx -> {
            tx.set(KEY, KEY);
            return KEY;
        });
    }

    private static byte @Nullable [] value(Database database) {
        return database.read(tx -> tx.get(KEY).join());
    }
}
