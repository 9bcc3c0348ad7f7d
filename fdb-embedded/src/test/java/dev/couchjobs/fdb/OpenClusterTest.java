package dev.couchjobs.fdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.testing.Ports;
import dev.couchjobs.fdb.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Opening a running cluster: see the profiles fdb and docker. */
class OpenClusterTest {
    private static final byte[] KEY = Tuple.from("opening a cluster").pack();

    private static Path file() {
        return TestCluster.file();
    }

    private static void increase(Database database) {
        database.run(tx -> {
            byte[] value = tx.get(KEY).join();
            tx.set(
                    KEY,
                    Tuple.from(value == null ? 0 : Tuple.fromBytes(value).getLong(0) + 1)
                            .pack());
            return tx;
        });
    }

    private static byte @Nullable [] value(Database database) {
        return database.read(tx -> tx.get(KEY).join());
    }

    @Test
    void aClusterFileOpensTheCluster() {
        try (Database database = Databases.open(file().toString())) {
            increase(database);
            assertThat(value(database)).isNotNull();
        }
    }

    @Test
    void soDoesWhatTheFileSays() throws IOException {
        try (Database database = Databases.open(Files.readString(file()))) {
            increase(database);
        }
    }

    @Test
    void aClusterThatIsNotThereIsSaidToBeSilentInSeconds() {
        String nowhere = "a:b@127.0.0.1:" + Ports.free();

        assertThatThrownBy(() -> Databases.open(
                        DatabaseLocation.of(nowhere), ClusterOptions.defaults().answerWithin(Duration.ofSeconds(1))))
                .isInstanceOf(ClusterUnavailableException.class)
                .hasMessageContaining("Nothing listens");
    }

    @Test
    void aTransactionHasItsTimeAndAWatchMayWaitForLonger() throws Exception {
        ClusterOptions short1 = ClusterOptions.defaults().timeout(Duration.ofMillis(200));
        try (Database database = Databases.open(DatabaseLocation.of(file().toString()), short1)) {
            CompletableFuture<Void> watch = database.run(tx -> tx.watch(KEY));
            assertThatThrownBy(() -> database.run(tx -> {
                        try {
                            return new CompletableFuture<Void>().get(400, TimeUnit.MILLISECONDS);
                        } catch (TimeoutException e) {
                            return tx.get(KEY).join();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }))
                    .hasMessageContaining("time");
            assertThat(watch).isNotDone();

            increase(database);
            watch.get(10, TimeUnit.SECONDS);
        }
    }
}
