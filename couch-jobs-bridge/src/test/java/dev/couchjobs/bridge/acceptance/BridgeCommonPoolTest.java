package dev.couchjobs.bridge.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.BridgeMain;
import dev.couchjobs.bridge.servers.CouchServers;
import dev.couchjobs.fdb.testing.BlockedCommonPool;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A bridge imports documents, runs steps of each kind and writes documents while all workers of the common pool are
 * blocked.
 */
class BridgeCommonPoolTest {
    private static final String NODE = NodeFile.REG_A;

    @TempDir
    private Path directory;

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void theBridgeDoesNotDependOnTheCommonPool() {
        try (CouchServers servers = new CouchServers(1, directory)) {
            URI database = servers.newDatabase(0);
            Path configuration =
                    new NodeFile(NODE, new JoinFixture.ByReplication(), database).write(directory.resolve(NODE));
            try (DocumentClient client = new DocumentClient(database);
                    ActionServer server = new ActionServer();
                    BridgeProcess bridge = BridgeProcess.start(Main.class, configuration, BlockedCommonPool.OPTION)) {
                client.put("all-kinds", """
                        {'creator': '%s', 'job': [
                          {'target': '%s', 'do': 'echo done'},
                          {'target': '%s', 'kind': 'http', 'do': 'GET %s'},
                          {'target': 'any', 'do': 'sleep 1000', 'timeout': 3, 'alt_do': 'true'}]}""".formatted(NODE, NODE, NODE, server.address()));
                server.next().answer();
                assertThat(client.awaitEnd("all-kinds").path("job_status").asString())
                        .isEqualTo("success");
                assertThat(bridge.end()).isZero();
            }
        }
    }

    /** The bridge, in a process whose common pool is blocked. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) {
            BlockedCommonPool.block();
            BridgeMain.main(arguments);
        }
    }
}
