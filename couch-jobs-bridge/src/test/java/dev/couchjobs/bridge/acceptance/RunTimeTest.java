package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.REG_A;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_B;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.BridgeDocument;
import dev.couchjobs.bridge.BridgeNode;
import dev.couchjobs.bridge.BridgeNodes;
import dev.couchjobs.bridge.BridgeSettings;
import dev.couchjobs.bridge.internal.action.TestSystem;
import dev.couchjobs.bridge.internal.nodes.NodeReport;
import dev.couchjobs.bridge.internal.nodes.NodeRows;
import dev.couchjobs.bridge.servers.CouchServers;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Polling;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Nodes are seen and steered while they run, by rows of their database. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class RunTimeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path directory;

    private CouchServers servers;
    private Database database;
    private BridgeNodes nodes;

    /** The ends of the steps that run. */
    private final BlockingQueue<CompletableFuture<Void>> running = new LinkedBlockingQueue<>();

    @BeforeEach
    void open() {
        servers = new CouchServers(1, directory);
        database = EmbeddedDatabase.openInMemory();
        nodes = BridgeNodes.on(database, BridgeNodes.PREFIX);
    }

    @AfterEach
    void close() {
        running.forEach(end -> end.complete(null));
        database.close();
        servers.close();
    }

    private Bridge start(NodeFile file, String node) {
        return start(file.write(directory.resolve(node)), node);
    }

    /** A bridge reports its node by itself, after its start. The bridge that this returns is known. */
    private Bridge start(Path file, String node) {
        Bridge bridge = Bridge.of(file)
                .database(database)
                .handler("hold", step -> {
                    CompletableFuture<Void> end = new CompletableFuture<>();
                    running.add(end);
                    end.join();
                    return Optional.of("done");
                })
                .start();
        await(node, reported -> true);
        return bridge;
    }

    private NodeFile file(String node, URI couch, int workers) {
        return new NodeFile(node, new JoinFixture.ByReplication(), couch).workers(workers);
    }

    private CompletableFuture<Void> nextBegun() throws InterruptedException {
        return Optional.ofNullable(running.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .orElseThrow(() -> new AssertionError("No further step begins."));
    }

    private BridgeNode node(String name) {
        return nodes.find(database, name).join().orElseThrow();
    }

    private BridgeNode await(String name, Predicate<BridgeNode> condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Optional<BridgeNode> last = nodes.find(database, name).join();
        while (last.filter(condition).isEmpty()) {
            assertThat(System.nanoTime()).as("waited for the node: %s", last).isLessThan(end);
            last = nodes.find(database, name).join();
        }
        return last.get();
    }

    private long change(String name, UnaryOperator<BridgeSettings> change) {
        return nodes.change(database, name, change).join().orElseThrow();
    }

    private BridgeNode changed(String name, UnaryOperator<BridgeSettings> change) {
        long revision = change(name, change);
        return await(name, node -> node.appliedRevision() == revision);
    }

    private static String holding(String node) {
        return "{'creator': '" + node + "', 'job': [{'target': '" + node + "', 'kind': 'java', 'do': 'hold'}]}";
    }

    private static boolean hasSucceeded(ObjectNode document) {
        return document.path("job_status").asString("").equals("success");
    }

    @Test
    void twoNodesOfOneDatabaseReportThemselvesAndTheirEnds() {
        URI first = servers.newDatabase(0);
        URI second = servers.newDatabase(0);
        try (Bridge a = start(file(REG_A, first, 3), REG_A);
                Bridge b = start(file(REG_B, second, 2), REG_B)) {
            await(REG_A, BridgeNode::isConnected);
            await(REG_B, BridgeNode::isConnected);

            List<BridgeNode> all = nodes.all(database).join();

            assertThat(all).extracting(BridgeNode::name).containsExactly(REG_A, REG_B);
            assertThat(all).extracting(BridgeNode::state).containsOnly(BridgeNode.State.RUNNING);
            assertThat(all)
                    .extracting(one -> one.settings().workers().orElseThrow())
                    .containsExactly(3, 2);
            assertThat(all.get(0).address()).doesNotContain("@").endsWith(first.getPath());
            assertThat(all.get(0).process())
                    .contains(Long.toString(ProcessHandle.current().pid()));
            assertThat(all.get(0).faults()).isEmpty();
            assertThat(all.get(0).resources().heapUsed()).isPositive();
            assertThat(a.stopped()).isNotDone();
            assertThat(b.stopped()).isNotDone();
        }

        assertThat(nodes.all(database).join()).extracting(BridgeNode::state).containsOnly(BridgeNode.State.ENDED);
        assertThat(nodes.remove(database, REG_B).join()).isTrue();
        assertThat(nodes.all(database).join()).extracting(BridgeNode::name).containsExactly(REG_A);
    }

    @Test
    void nodesThatShareAStoreShowTheSameDocumentsAndChangeOnTheirOwn() throws InterruptedException {
        URI first = servers.newDatabase(0);
        URI second = servers.newDatabase(0);
        JoinFixture shared = new JoinFixture.ByDatabase(database);
        try (Bridge a = start(new NodeFile(REG_A, shared, first).workers(1), REG_A);
                Bridge b = start(new NodeFile(REG_B, shared, second).workers(1), REG_B);
                DocumentClient client = new DocumentClient(first)) {
            a.ready().join();
            b.ready().join();
            for (int i = 0; i < 4; i++) {
                client.put(
                        "job-" + i, "{'creator': 'reg_a', 'job': [{'target': 'any', 'kind': 'java', 'do': 'hold'}]}");
            }
            CompletableFuture<?>[] two = {nextBegun(), nextBegun()};
            assertThat(running).isEmpty();

            BridgeNode changed = changed(REG_B, settings -> settings.withWorkers(OptionalInt.of(3)));

            assertThat(changed.settings().workers()).hasValue(3);
            assertThat(node(REG_A).settings().workers()).hasValue(1);
            assertThat(node(REG_A).wantedRevision()).isZero();
            CompletableFuture<?>[] others = {nextBegun(), nextBegun()};
            for (String node : List.of(REG_A, REG_B)) {
                Page<BridgeDocument> page = nodes.documents(database, node, PageRequest.of(10))
                        .join()
                        .orElseThrow();
                assertThat(page.items())
                        .extracting(BridgeDocument::id)
                        .containsExactly("job-0", "job-1", "job-2", "job-3");
            }
            for (CompletableFuture<?>[] ends : List.of(two, others)) {
                for (CompletableFuture<?> end : ends) {
                    end.complete(null);
                }
            }
            for (int i = 0; i < 4; i++) {
                client.await("job-" + i, RunTimeTest::hasSucceeded);
            }
        }
    }

    @Test
    void aNodeThatHasNotReportedForAMinuteIsSilentAndCanBeRemoved() {
        start(file(REG_A, servers.newDatabase(0), 1), REG_A).close();
        NodeRows rows = new NodeRows(BridgeNodes.PREFIX);
        for (int seconds : List.of(40, 62)) {
            database.run(tx -> {
                NodeReport last = rows.report(tx, REG_A).join().orElseThrow();
                rows.report(tx, REG_A, reported(last, tx.getReadVersion().join() - seconds * 1_000_000L));
                return seconds;
            });
            assertThat(node(REG_A).state())
                    .isEqualTo(seconds < 60 ? BridgeNode.State.RUNNING : BridgeNode.State.SILENT);
            assertThat(nodes.remove(database, REG_A).join()).isEqualTo(seconds > 60);
        }
    }

    private static NodeReport reported(NodeReport last, long version) {
        return new NodeReport(
                version,
                false,
                last.process(),
                last.bridgeVersion(),
                last.startedAt(),
                last.reportedAt(),
                last.store(),
                last.servers(),
                last.state(),
                last.position(),
                last.appliedRevision(),
                last.appliedSettings());
    }

    @Test
    void settingsThatTheFileNoLongerAllowsAreAFault() {
        URI couch = servers.newDatabase(0);
        NodeFile before = file(REG_A, couch, 1).with("[work_items.slow]\nkind = 'java'\ndo = 'hold'");
        try (Bridge bridge = start(before, REG_A)) {
            bridge.ready().join();
            changed(REG_A, settings -> settings.withConcurrency(Map.of("slow", 3)));
        }
        try (Bridge bridge = start(file(REG_A, couch, 1), REG_A)) {
            bridge.ready().join();

            BridgeNode node = await(REG_A, one -> !one.faults().isEmpty());

            assertThat(node.faults().get(0)).endsWith("concurrency: work_items of the node's file has no slow");
            assertThat(node.appliedRevision()).isZero();
            changed(REG_A, settings -> BridgeSettings.none());
        }
    }

    @Test
    void workersAreAddedAndRemovedWhileStepsRun() throws InterruptedException {
        URI couch = servers.newDatabase(0);
        try (Bridge bridge = start(file(REG_A, couch, 1), REG_A);
                DocumentClient client = new DocumentClient(couch)) {
            for (int i = 0; i < 4; i++) {
                client.put("job-" + i, holding(REG_A));
            }
            CompletableFuture<Void> first = nextBegun();
            assertThat(running).isEmpty();

            changed(REG_A, settings -> settings.withWorkers(OptionalInt.of(3)));

            CompletableFuture<Void> second = nextBegun();
            CompletableFuture<Void> third = nextBegun();
            BridgeNode three = await(REG_A, node -> node.settings().workers().equals(OptionalInt.of(3)));
            assertThat(three.wanted().workers()).hasValue(3);
            assertThat(running).isEmpty();

            changed(REG_A, settings -> settings.withWorkers(OptionalInt.of(1)));
            first.complete(null);
            second.complete(null);
            await(REG_A, node -> node.running() <= 3);
            assertThat(running).isEmpty();
            assertThat(third).isNotDone();

            third.complete(null);
            nextBegun().complete(null);
            for (int i = 0; i < 4; i++) {
                client.await("job-" + i, RunTimeTest::hasSucceeded);
            }

            assertThat(changed(REG_A, settings -> settings.withWorkers(OptionalInt.empty()))
                            .settings()
                            .workers())
                    .hasValue(1);
            assertThat(bridge.stopped()).isNotDone();
        }
    }

    @Test
    void wantedSettingsOutliveABridge() {
        URI couch = servers.newDatabase(0);
        start(file(REG_A, couch, 1), REG_A).close();
        long revision = change(
                REG_A,
                settings -> settings.withWorkers(OptionalInt.of(7)).withHeartbeat(Optional.of(Duration.ofSeconds(2))));

        try (Bridge bridge = start(file(REG_A, couch, 1), REG_A)) {
            bridge.ready().join();
            BridgeNode node = await(REG_A, one -> one.appliedRevision() == revision);

            assertThat(node.state()).isEqualTo(BridgeNode.State.RUNNING);
            assertThat(node.settings().workers()).hasValue(7);
            assertThat(node.settings().heartbeat()).hasValue(Duration.ofSeconds(2));
            assertThat(node.settings().claimTimeout()).hasValue(Duration.ofMinutes(5));
        }
    }

    @Test
    void theDatabaseAndTheIntervalsChangeWithoutANewProcess() throws InterruptedException {
        URI couch = servers.newDatabase(0);
        URI other = servers.newDatabase(0);
        String name = other.getPath().substring(1);
        try (Bridge bridge = start(file(REG_A, couch, 2), REG_A);
                DocumentClient before = new DocumentClient(couch);
                DocumentClient after = new DocumentClient(other)) {
            before.put("before", holding(REG_A));
            nextBegun().complete(null);
            before.await("before", RunTimeTest::hasSucceeded);

            BridgeNode node = changed(
                    REG_A,
                    settings -> settings.withDatabase(Optional.empty(), Optional.of(name))
                            .withClaimTimeout(Optional.of(Duration.ofMinutes(2)))
                            .withHeartbeat(Optional.of(Duration.ofSeconds(3))));

            assertThat(node.address()).endsWith(name);
            assertThat(node.settings().claimTimeout()).hasValue(Duration.ofMinutes(2));
            assertThat(node.settings().heartbeat()).hasValue(Duration.ofSeconds(3));
            after.put("after", holding(REG_A));
            nextBegun().complete(null);
            after.await("after", RunTimeTest::hasSucceeded);

            changed(REG_A, settings -> BridgeSettings.none());
            before.put("back", holding(REG_A));
            nextBegun().complete(null);
            before.await("back", RunTimeTest::hasSucceeded);
            assertThat(bridge.stopped()).isNotDone();
        }
    }

    @Test
    void aStepThatRunsEndsBeforeTheDatabaseChanges() throws InterruptedException {
        URI couch = servers.newDatabase(0);
        URI other = servers.newDatabase(0);
        try (Bridge bridge = start(file(REG_A, couch, 1), REG_A);
                DocumentClient client = new DocumentClient(couch)) {
            client.put("runs", holding(REG_A));
            CompletableFuture<Void> step = nextBegun();

            long revision = change(
                    REG_A,
                    settings -> settings.withDatabase(
                            Optional.empty(), Optional.of(other.getPath().substring(1))));
            await(REG_A, node -> node.wantedRevision() == revision);
            assertThat(node(REG_A).appliedRevision()).isZero();
            step.complete(null);

            assertThat(await(REG_A, node -> node.appliedRevision() == revision).address())
                    .endsWith(other.getPath());
            assertThat(client.await("runs", RunTimeTest::hasSucceeded)
                            .at("/job/0/begun")
                            .asInt(1))
                    .isEqualTo(1);
            assertThat(bridge.stopped()).isNotDone();
        }
    }

    @Test
    void aDatabaseOfAnotherBridgeIsAFaultAndTheOldOneStays() throws InterruptedException {
        URI couch = servers.newDatabase(0);
        URI owned = servers.newDatabase(0);
        try (Database ofAnother = EmbeddedDatabase.openInMemory();
                Bridge another = Bridge.of(file(REG_A, owned, 1).write(directory.resolve("another")))
                        .database(ofAnother)
                        .start();
                Bridge bridge = start(file(REG_A, couch, 1), REG_A);
                DocumentClient client = new DocumentClient(couch)) {
            another.ready().join();
            bridge.ready().join();

            change(
                    REG_A,
                    settings -> settings.withDatabase(
                            Optional.empty(), Optional.of(owned.getPath().substring(1))));

            BridgeNode node = await(REG_A, one -> !one.faults().isEmpty());
            assertThat(node.faults().get(0))
                    .startsWith(
                            "revision 1 of the wanted settings cannot be applied: another bridge of the name reg_a");
            assertThat(node.appliedRevision()).isZero();
            assertThat(node.wantedRevision()).isEqualTo(1);
            assertThat(node.address()).endsWith(couch.getPath());
            client.put("goes-on", holding(REG_A));
            nextBegun().complete(null);
            client.await("goes-on", RunTimeTest::hasSucceeded);
            assertThat(another.stopped()).isNotDone();

            change(REG_A, settings -> BridgeSettings.none());
            assertThat(await(REG_A, one -> one.appliedRevision() == 2).faults()).isEmpty();
        }
    }

    @Test
    void aNodeWhoseWantedDatabaseWasRefusedRestartsWithItsLastSettings() throws InterruptedException {
        URI couch = servers.newDatabase(0);
        URI owned = servers.newDatabase(0);
        try (Database ofAnother = EmbeddedDatabase.openInMemory();
                Bridge another = Bridge.of(file(REG_A, owned, 1).write(directory.resolve("another")))
                        .database(ofAnother)
                        .start();
                DocumentClient client = new DocumentClient(couch)) {
            another.ready().join();
            try (Bridge before = start(file(REG_A, couch, 1), REG_A)) {
                before.ready().join();
                changed(REG_A, settings -> settings.withHeartbeat(Optional.of(Duration.ofSeconds(3))));
                change(REG_A, onDatabase(owned));
                await(REG_A, node -> !node.faults().isEmpty());
            }

            try (Bridge bridge = start(file(REG_A, couch, 1), REG_A)) {
                BridgeNode node = await(REG_A, one -> one.state() == BridgeNode.State.RUNNING && one.isConnected());

                assertThat(node.faults().get(0))
                        .startsWith("revision 2 of the wanted settings cannot be applied: another bridge of the name");
                assertThat(node.appliedRevision()).isEqualTo(1);
                assertThat(node.wantedRevision()).isEqualTo(2);
                assertThat(node.address()).endsWith(couch.getPath());
                assertThat(node.settings().heartbeat()).hasValue(Duration.ofSeconds(3));
                client.put("goes-on", holding(REG_A));
                nextBegun().complete(null);
                client.await("goes-on", RunTimeTest::hasSucceeded);
                assertThat(bridge.stopped()).isNotDone();
                assertThat(another.stopped()).isNotDone();

                assertThat(changed(REG_A, settings -> BridgeSettings.none()).faults())
                        .isEmpty();
            }
        }
    }

    @Test
    void aDatabaseThatIsWantedWhileABridgeIsDownIsTakenAtItsStart() {
        URI owned = servers.newDatabase(0);
        URI other = servers.newDatabase(0);
        start(file(REG_A, owned, 1), REG_A).close();
        long revision = change(REG_A, onDatabase(other));
        try (Database ofAnother = EmbeddedDatabase.openInMemory();
                Bridge another = Bridge.of(file(REG_A, owned, 1).write(directory.resolve("another")))
                        .database(ofAnother)
                        .start()) {
            another.ready().join();
            for (int start = 0; start < 2; start++) {
                try (Bridge bridge = start(file(REG_A, owned, 1), REG_A)) {
                    bridge.ready().join();

                    BridgeNode node = await(REG_A, one -> one.state() == BridgeNode.State.RUNNING && one.isConnected());
                    assertThat(node.appliedRevision()).isEqualTo(revision);
                    assertThat(node.address()).endsWith(other.getPath());
                    assertThat(node.faults()).isEmpty();
                    assertThat(bridge.stopped()).isNotDone();
                }
            }
        }
    }

    @Test
    void aReportOfAnOlderBridgeHasNoAppliedSettings() {
        URI couch = servers.newDatabase(0);
        URI other = servers.newDatabase(0);
        try (Bridge bridge = start(file(REG_A, couch, 1), REG_A)) {
            bridge.ready().join();
            changed(REG_A, onDatabase(other));
        }
        byte[] row = Tuple.from(BridgeNodes.PREFIX, "store", "node", REG_A, 0).pack();
        database.run(tx -> {
            String report = new String(tx.get(row).join(), StandardCharsets.UTF_8);
            String older = report.replaceFirst(",\"appliedSettings\":.*", "}");
            assertThat(older).isNotEqualTo(report);
            tx.set(row, older.getBytes(StandardCharsets.UTF_8));
            return older;
        });
        assertThat(node(REG_A).appliedRevision()).isEqualTo(1);

        try (Bridge bridge = start(file(REG_A, couch, 1), REG_A)) {
            bridge.ready().join();

            assertThat(await(REG_A, BridgeNode::isConnected).address()).endsWith(other.getPath());
        }
    }

    private static UnaryOperator<BridgeSettings> onDatabase(URI database) {
        return settings -> settings.withDatabase(
                Optional.empty(), Optional.of(database.getPath().substring(1)));
    }

    @Test
    void aNodeThatWaitsForItsDatabaseFollowsAnother() throws InterruptedException {
        URI couch = servers.newDatabase(0);
        NodeFile file = file(REG_A, URI.create("http://127.0.0.1:1/jobs"), 1).other("spare", couch);
        try (Bridge bridge = start(file, REG_A);
                DocumentClient client = new DocumentClient(couch)) {
            await(REG_A, node -> !node.isConnected());

            changed(REG_A, settings -> settings.withDatabase(Optional.of("spare"), Optional.empty()));

            client.put("there", holding(REG_A));
            nextBegun().complete(null);
            client.await("there", RunTimeTest::hasSucceeded);
            assertThat(bridge.stopped()).isNotDone();
        }
    }

    @Test
    void settingsWithWhichTheNodeCannotStartAreNotReportedAsApplied() {
        URI couch = servers.newDatabase(0);
        URI other = servers.newDatabase(0);
        byte[] position = Tuple.from(
                        BridgeNodes.PREFIX,
                        REG_A,
                        "store",
                        "feed",
                        REG_A,
                        NodeFile.withoutUser(other).toString())
                .pack();
        database.run(tx -> {
            tx.set(position, new byte[] {'{'});
            return position;
        });
        try (Bridge bridge = start(file(REG_A, couch, 1), REG_A)) {
            bridge.ready().join();
            change(REG_A, onDatabase(other));

            bridge.stopped().join();

            BridgeNode node = await(
                    REG_A,
                    one -> one.state() == BridgeNode.State.ENDED && one.faults().size() > 1);
            assertThat(node.appliedRevision()).isZero();
            assertThat(node.faults().get(0)).startsWith("revision 1 of the wanted settings cannot be applied: ");
            assertThat(node.faults().get(1)).startsWith("the bridge has stopped: ");
        }
    }

    @Test
    void revisionsOfSettingsGoOnAfterTheNodeWasRemoved() {
        URI couch = servers.newDatabase(0);
        start(file(REG_A, couch, 1), REG_A).close();
        long before = change(REG_A, settings -> settings.withWorkers(OptionalInt.of(7)));
        assertThat(nodes.remove(database, REG_A).join()).isTrue();

        try (Bridge bridge = start(file(REG_A, couch, 1), REG_A)) {
            bridge.ready().join();
            assertThat(await(REG_A, BridgeNode::isConnected).settings().workers())
                    .hasValue(1);

            long after = change(REG_A, settings -> settings.withWorkers(OptionalInt.of(5)));

            assertThat(after).isGreaterThan(before);
        }
    }

    @Test
    void aBridgeThatHasStoppedByItselfSaysWhy() {
        URI owned = servers.newDatabase(0);
        try (Database ofAnother = EmbeddedDatabase.openInMemory();
                Bridge another = Bridge.of(file(REG_A, owned, 1).write(directory.resolve("another")))
                        .database(ofAnother)
                        .start()) {
            another.ready().join();
            try (Bridge bridge = start(file(REG_A, owned, 1), REG_A)) {
                bridge.stopped().join();

                BridgeNode node = await(REG_A, one -> one.state() == BridgeNode.State.ENDED);

                assertThat(node.faults().get(0)).startsWith("the bridge has stopped: another bridge of the name reg_a");
            }
        }
    }

    @Test
    void anotherServerIsOneThatTheFileNamesWithItsOwnUser() throws InterruptedException {
        URI couch = servers.newDatabase(0);
        URI other = servers.newDatabase(0);
        NodeFile file = file(REG_A, couch, 1).other("spare", other);
        try (Bridge bridge = start(file, REG_A);
                DocumentClient client = new DocumentClient(other)) {
            bridge.ready().join();

            assertThat(changed(REG_A, settings -> settings.withDatabase(Optional.of("spare"), Optional.empty()))
                            .address())
                    .isEqualTo(NodeFile.withoutUser(other).toString());
            client.put("there", holding(REG_A));
            nextBegun().complete(null);
            client.await("there", RunTimeTest::hasSucceeded);

            assertThat(failure(nodes.change(
                            database, REG_A, settings -> settings.withDatabase(Optional.of("evil"), Optional.empty()))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("server: couchdb.others of the node's file has no evil; it has [spare]");
        }
    }

    private static Throwable failure(CompletableFuture<?> future) {
        return future.handle((done, error) -> error instanceof CompletionException ? error.getCause() : error)
                .join();
    }

    @Test
    void workItemsOfAKindGetAnotherConcurrency() throws InterruptedException {
        URI couch = servers.newDatabase(0);
        NodeFile file = file(REG_A, couch, 1).with("[work_items.slow]\nkind = 'java'\ndo = 'hold'");
        try (Bridge bridge = start(file, REG_A);
                DocumentClient client = new DocumentClient(couch)) {
            for (int i = 0; i < 3; i++) {
                client.put("item-" + i, "{'type': 'WorkItem', 'worker': 'slow'}");
            }
            CompletableFuture<Void> first = nextBegun();
            assertThat(bridge.ready()).isCompleted();
            assertThat(running).isEmpty();

            BridgeNode node = changed(REG_A, settings -> settings.withConcurrency(Map.of("slow", 3)));

            assertThat(node.settings().concurrency()).containsEntry("slow", 3);
            nextBegun().complete(null);
            nextBegun().complete(null);
            first.complete(null);
            assertThat(failure(nodes.change(database, REG_A, settings -> settings.withConcurrency(Map.of("slo", 3)))))
                    .hasMessageContaining("has no slo");
        }
    }

    @Test
    void commandsGetTheLimitsThatAreSet() {
        URI couch = servers.newDatabase(0);
        try (Bridge bridge = start(file(REG_A, couch, 1), REG_A);
                DocumentClient client = new DocumentClient(couch)) {
            bridge.ready().join();
            boolean limitsMemory = TestSystem.limitsMemory();
            OptionalLong memory = limitsMemory ? OptionalLong.of(512L * 1024 * 1024) : OptionalLong.empty();
            changed(REG_A, settings -> settings.withLimits(memory, Optional.of(Duration.ofSeconds(7))));

            client.put("limits", "{'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': 'ulimit -v; ulimit -t'}]}");

            assertThat(client.await("limits", RunTimeTest::hasSucceeded)
                            .at("/job/0/output")
                            .asString())
                    .isEqualTo((limitsMemory ? "524288" : "unlimited") + "\n7\n");
        }
    }

    @Test
    void documentsAreListedWithTheirStepsAndWhatTheyWaitFor() throws InterruptedException {
        URI couch = servers.newDatabase(0);
        try (Bridge bridge = start(file(REG_A, couch, 1), REG_A);
                DocumentClient client = new DocumentClient(couch)) {
            client.put("a-holds", holding(REG_A));
            CompletableFuture<Void> held = nextBegun();
            client.put(
                    "b-waits",
                    "{'creator': 'reg_a', 'job': [{'target': 'reg_a', 'do': 'true'},"
                            + " {'target': ['reg_a', 'reg_b'], 'do': 'true'}]}");
            client.put("c-is-wrong", "{'creator': 'reg_a', 'job': [{'target': 'nobody', 'do': 'true'}]}");
            client.await("c-is-wrong", document -> document.has("reason"));
            while (nodes.document(database, REG_A, "b-waits").join().isEmpty()) {
                Polling.pause();
            }

            Page<BridgeDocument> first =
                    nodes.documents(database, REG_A, PageRequest.of(2)).join().orElseThrow();
            Page<BridgeDocument> second = nodes.documents(
                            database,
                            REG_A,
                            PageRequest.of(2).after(first.next().orElseThrow()))
                    .join()
                    .orElseThrow();

            assertThat(first.items()).extracting(BridgeDocument::id).containsExactly("a-holds", "b-waits");
            assertThat(second.items()).extracting(BridgeDocument::id).containsExactly("c-is-wrong");
            assertThat(second.next()).isEmpty();
            assertThat(second.items().get(0).state()).isEqualTo(BridgeDocument.State.REFUSED);
            assertThat(second.items().get(0).reason().orElseThrow()).contains("nobody");
            BridgeDocument runs =
                    nodes.document(database, REG_A, "a-holds").join().orElseThrow();
            assertThat(runs.state()).isEqualTo(BridgeDocument.State.RUNNING);
            assertThat(runs.waitsFor().orElseThrow()).startsWith("step 0, for reg_a, runs on this node since ");
            assertThat(runs.steps().get(0).runs().get(0).node()).isEqualTo(REG_A);
            assertThat(runs.steps().get(0).runs().get(0).state()).isEqualTo(BridgeDocument.StepState.RUNNING);
            BridgeDocument waits =
                    nodes.document(database, REG_A, "b-waits").join().orElseThrow();
            assertThat(waits.waitsFor()).hasValue("step 0, for reg_a, waits for a free worker: this node has 1");
            assertThat(waits.steps().get(1).targets()).containsExactly("reg_a", "reg_b");
            assertThat(waits.steps().get(1).state()).isEmpty();

            held.complete(null);
            client.await("b-waits", RunTimeTest::hasSucceeded);
            assertThat(nodes.document(database, REG_A, "b-waits")
                            .join()
                            .orElseThrow()
                            .state())
                    .isEqualTo(BridgeDocument.State.SUCCESS);
            assertThat(nodes.document(database, REG_A, "none").join()).isEmpty();
            assertThat(nodes.documents(database, "none", PageRequest.of(1)).join())
                    .isEmpty();
            assertThat(bridge.stopped()).isNotDone();
        }
    }

    @Test
    void aRunningStepNamesItsDocument() throws InterruptedException {
        URI couch = servers.newDatabase(0);
        String id = "long-" + "x".repeat(400);
        try (Bridge bridge = start(file(REG_A, couch, 1), REG_A);
                DocumentClient client = new DocumentClient(couch)) {
            bridge.ready().join();
            client.put(id, holding(REG_A));
            CompletableFuture<Void> step = nextBegun();
            changed(REG_A, settings -> settings.withWorkers(OptionalInt.of(2))); // a report follows

            BridgeNode node = await(REG_A, one -> !one.steps().isEmpty());

            assertThat(nodes.document(database, REG_A, node.steps().get(0).document())
                            .join())
                    .isPresent();
            step.complete(null);
        }
    }

    @Test
    void timesWithWhichAFeedCannotRunAreRefused() {
        try (Bridge bridge = start(file(REG_A, servers.newDatabase(0), 1), REG_A)) {
            bridge.ready().join();
            for (Duration wrong : List.of(Duration.ofNanos(1), Duration.ofDays(100_000_000_000L))) {
                assertThat(failure(
                                nodes.change(database, REG_A, settings -> settings.withHeartbeat(Optional.of(wrong)))))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("heartbeat is from 1 s to 1 d, not ");
                assertThat(failure(nodes.change(
                                database, REG_A, settings -> settings.withClaimTimeout(Optional.of(wrong)))))
                        .hasMessageStartingWith("claimTimeout is from 1 s to 365 d, not ");
            }
            assertThat(node(REG_A).wantedRevision()).isZero();
        }
    }

    @Test
    void aDocumentWhoseRowCannotBeReadIsDamaged() {
        start(file(REG_A, servers.newDatabase(0), 1), REG_A).close();
        byte[] row = Tuple.from(BridgeNodes.PREFIX, REG_A, "store", "doc", "broken", 0)
                .pack();
        database.run(tx -> {
            tx.set(row, new byte[] {'{'});
            return row;
        });

        List<BridgeDocument> listed = nodes.documents(database, REG_A, PageRequest.of(9))
                .join()
                .orElseThrow()
                .items();
        BridgeDocument shown = nodes.document(database, REG_A, "broken").join().orElseThrow();

        assertThat(listed).extracting(BridgeDocument::state).containsExactly(BridgeDocument.State.DAMAGED);
        assertThat(shown.state()).isEqualTo(BridgeDocument.State.DAMAGED);
        assertThat(shown.waitsFor().orElseThrow()).startsWith("the entry of the document in the store is damaged");
    }

    @Test
    void settingsForWhichNoConnectionCanBeOpenedAreAFaultAndTheOldOnesStay() throws Exception {
        URI couch = servers.newDatabase(0);
        URI other = servers.newDatabase(0);
        Path file = file(REG_A, couch, 1).write(directory.resolve(REG_A));
        Path certificates = directory.resolve(REG_A).resolve("ca.pem");
        Files.writeString(
                file, Files.readString(file).replace("[couchdb]", "[couchdb]\nca_file = '" + certificates + "'"));
        Files.writeString(certificates, certificate());
        try (Bridge bridge = start(file, REG_A);
                DocumentClient client = new DocumentClient(couch)) {
            bridge.ready().join();
            Files.delete(certificates);
            List<UnaryOperator<BridgeSettings>> changes = List.of(
                    settings -> settings.withDatabase(
                            Optional.empty(), Optional.of(other.getPath().substring(1))),
                    settings -> BridgeSettings.none().withHeartbeat(Optional.of(Duration.ofSeconds(3))));
            for (UnaryOperator<BridgeSettings> change : changes) {
                String fault =
                        "revision " + change(REG_A, change) + " of the wanted settings cannot be applied: The file ";
                await(REG_A, node -> node.faults().stream().anyMatch(one -> one.startsWith(fault)));
            }

            client.put("goes-on", holding(REG_A));
            nextBegun().complete(null);
            client.await("goes-on", RunTimeTest::hasSucceeded);
            changed(REG_A, settings -> BridgeSettings.none());
        }
    }

    /** {@return a certificate that Java trusts, in PEM} */
    private static String certificate() throws GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init((KeyStore) null);
        X509TrustManager manager = (X509TrustManager) trust.getTrustManagers()[0];
        return "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder().encodeToString(manager.getAcceptedIssuers()[0].getEncoded())
                + "\n-----END CERTIFICATE-----\n";
    }

    @Test
    void aNodeThatHasNeverReportedIsNotChanged() {
        assertThat(nodes.change(database, "none", settings -> settings).join()).isEmpty();
        assertThat(nodes.find(database, "none").join()).isEmpty();
        assertThat(nodes.remove(database, "none").join()).isFalse();
    }
}
