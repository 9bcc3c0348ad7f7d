package dev.couchjobs.bridge.internal.wiring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.ConfigReader;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RunningBridgeTest {
    @TempDir
    Path directory;

    @Test
    void aBridgeThatWaitsForItsDatabaseCanBeEndedAndSaysForWhatItWaits() throws Exception {
        Path file = directory.resolve("bridge.toml");
        Files.writeString(file, "node = 'alpha'\ncouchdb.url = 'http://127.0.0.1:1/jobs'\nengine.directory = 'data'\n");
        BridgeConfig config = ConfigReader.read(file, Map.of(), Optional.empty());
        try (Database database = EmbeddedDatabase.open(directory.resolve("other"))) {
            Database silent = silent(database);

            assertThatThrownBy(() -> RunningBridge.start(
                            config, Map.of(), Optional.of(silent), false, CompletableFuture.completedFuture(null)))
                    .hasMessageContaining("waited for the database of node alpha: embedded, in the directory");
        }
    }

    /** As a cluster that is down: it answers nothing. */
    private static Database silent(Database database) {
        return (Database) Proxy.newProxyInstance(
                RunningBridgeTest.class.getClassLoader(),
                new Class<?>[] {Database.class},
                (self, method, given) -> method.getReturnType() == CompletableFuture.class
                        ? new CompletableFuture<>()
                        : method.invoke(database, given));
    }
}
