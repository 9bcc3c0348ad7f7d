package dev.couchjobs.bridge.internal.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.ConfigReader;
import dev.couchjobs.bridge.testing.TestClient;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RunningBridgeTest {
    @TempDir
    Path directory;

    @Test
    void aBridgeThatWaitsForItsDatabaseCanBeEndedAndSaysForWhatItWaits() throws Exception {
        BridgeConfig config = config();
        try (Database database = EmbeddedDatabase.open(directory.resolve("other"))) {
            Database silent = silent(database, () -> {});

            assertThatThrownBy(() -> RunningBridge.start(
                            config, Map.of(), Optional.of(silent), false, CompletableFuture.completedFuture(null)))
                    .hasMessageContaining("waited for the database of node alpha: embedded, in the directory");
        }
    }

    @Test
    void aBridgeThatWaitsForItsDatabaseAnswersThatItDoes() throws Exception {
        BridgeConfig config = config();
        CompletableFuture<Void> isWaiting = new CompletableFuture<>();
        CompletableFuture<Void> stop = new CompletableFuture<>();
        try (Database database = EmbeddedDatabase.open(directory.resolve("other"))) {
            Database silent = silent(database, () -> isWaiting.complete(null));
            CompletableFuture<Void> started = CompletableFuture.runAsync(
                    () -> RunningBridge.start(config, Map.of(), Optional.of(silent), false, stop), TestClient.THREADS);
            isWaiting.join();

            assertThat(RunningBridge.ask(config, "x").orElseThrow())
                    .containsExactly("the bridge waits for its database: "
                            + config.engine().describe());
            stop.complete(null);
            assertThat(started).failsWithin(1, TimeUnit.MINUTES);
        }
        assertThat(RunningBridge.ask(config, "x")).isEmpty();
    }

    private BridgeConfig config() throws Exception {
        Path file = directory.resolve("bridge.toml");
        Files.writeString(file, "node = 'alpha'\ncouchdb.url = 'http://127.0.0.1:1/jobs'\nengine.directory = 'data'\n");
        return ConfigReader.read(file, Map.of(), Optional.empty());
    }

    /** {@return a database that never answers, like a cluster that is down} */
    private static Database silent(Database database, Runnable whenAsked) {
        return (Database) Proxy.newProxyInstance(
                RunningBridgeTest.class.getClassLoader(), new Class<?>[] {Database.class}, (self, method, given) -> {
                    if (method.getReturnType() == CompletableFuture.class) {
                        whenAsked.run();
                        return new CompletableFuture<>();
                    }
                    return method.invoke(database, given);
                });
    }
}
