package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.GLOBAL;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_A;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_B;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.BridgeMain;
import dev.couchjobs.bridge.internal.couch.LoginThrottles;
import dev.couchjobs.bridge.internal.couch.Replication;
import dev.couchjobs.bridge.internal.couch.Replications;
import dev.couchjobs.bridge.servers.LocalServer;
import dev.couchjobs.bridge.testing.TestClient;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The replications of a node after changes of its configuration. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class PeersTest {
    private static final String OF_ANOTHER_BRIDGE = "couch-jobs-reg_a-from-reg_b-from-reg_c-12345678";

    @TempDir
    private Path directory;

    @Test
    void aNodeThatLeavesTheConfigurationIsNoLongerFetchedFrom() {
        try (LocalServer here = LocalServer.inMemory();
                LocalServer stays = LocalServer.inMemory();
                LocalServer leaves = LocalServer.inMemory();
                DocumentClient client = new DocumentClient(here.database("jobs"));
                Replications replications =
                        new Replications(TestClient.settings(here.database("jobs")), new LoginThrottles("test"))) {
            URI database = here.database("jobs");
            NodeFile both = file(database).peer(REG_B, stays.database("jobs")).peer(GLOBAL, leaves.database("jobs"));
            try (Bridge bridge = Bridge.of(both.write(directory.resolve(REG_A))).start()) {
                bridge.ready().join();
                comesTo(client, "of the one that stays", stays);
                comesTo(client, "of the one that leaves", leaves);
                DocumentClient.await(replications.ensure(
                        Replication.continuous(OF_ANOTHER_BRIDGE, stays.database("jobs"), here.database("other"))));
            }
            assertThat(names(replications)).hasSize(3);

            Path alone = file(database).peer(REG_B, stays.database("jobs")).write(directory.resolve(REG_A));
            try (BridgeProcess bridge = BridgeProcess.start(BridgeMain.class, alone)) {
                bridge.awaitLog("was removed: the configuration does not contain it");
                assertThat(bridge.end()).isZero();
            }
            assertThat(names(replications))
                    .hasSize(2)
                    .contains(OF_ANOTHER_BRIDGE)
                    .anyMatch(name -> name.startsWith("couch-jobs-reg_a-from-reg_b-"));
        }
    }

    private static void comesTo(DocumentClient client, String id, LocalServer peer) {
        try (DocumentClient there = new DocumentClient(peer.database("jobs"))) {
            there.put(id, "{}");
            client.await(id, document -> true);
        }
    }

    private static List<String> names(Replications replications) {
        return DocumentClient.await(replications.kept("couch-jobs-")).stream()
                .map(Replications.Kept::id)
                .toList();
    }

    private static NodeFile file(URI database) {
        return new NodeFile(REG_A, new JoinFixture.ByReplication(), database);
    }
}
