package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.bridge.internal.couch.ScriptedServer.Call;
import dev.couchjobs.bridge.servers.LocalServer;
import dev.couchjobs.bridge.servers.PlainHttp;
import dev.couchjobs.bridge.testing.TestClient;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The requests for replications, and the handling of their answers. */
class ReplicationsTest {
    private static final URI SOURCE = URI.create("http://admin:geheim@a.example:5984/jobs");
    private static final URI TARGET = URI.create("http://b.example:5984/jobs");
    private static final String DOCUMENT = "{\"source\":{\"url\":\"http://a.example:5984/jobs\",\"headers\":"
            + "{\"Authorization\":\"Basic YWRtaW46Z2VoZWlt\"}},\"target\":{\"url\":\"http://b.example:5984/jobs\","
            + "\"headers\":{}},\"continuous\":true";

    private static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static Replications replications(ScriptedServer server) {
        return new Replications(
                TestClient.settings(server.database()).withPauses(Duration.ofMillis(1), Duration.ofMillis(1)),
                new LoginThrottles("test"));
    }

    private static final Replication PULL = Replication.continuous("pull", SOURCE, TARGET);

    @Test
    void aReplicationIsADocumentThatIsWrittenOnce() {
        try (ScriptedServer server = new ScriptedServer()) {
            var first = replications(server).ensure(PULL);
            server.call().answer(404, "{\"error\":\"not_found\",\"reason\":\"missing\"}");
            Call put = server.call();
            assertThat(put.first()).startsWith("PUT /_replicator/pull ");
            assertThat(put.body()).isEqualTo(DOCUMENT + "}");
            put.answer(201, "{\"ok\":true}");
            assertThat(await(first)).isTrue();

            var second = replications(server).ensure(PULL);
            server.call().answer(200, DOCUMENT + ",\"_id\":\"pull\",\"_rev\":\"1-a\",\"owner\":\"admin\"}");
            assertThat(await(second)).isFalse();
        }
    }

    @Test
    void aReplicationThatDiffersIsReplacedAndAConflictReadAgain() {
        try (ScriptedServer server = new ScriptedServer()) {
            ObjectNode selector = JsonNodeFactory.instance.objectNode().put("creator", "reg_a");
            var ensured = replications(server).ensure(PULL.of(new Replication.Choice.Selector(selector)));
            server.call().answer(200, DOCUMENT + ",\"_rev\":\"1-a\"}");
            server.call().answer(409, "{\"error\":\"conflict\"}");
            server.call().answer(200, DOCUMENT + ",\"_rev\":\"2-a\"}");
            Call put = server.call();
            assertThat(put.body()).isEqualTo(DOCUMENT + ",\"selector\":{\"creator\":\"reg_a\"},\"_rev\":\"2-a\"}");
            put.answer(201, "{\"ok\":true}");
            assertThat(await(ensured)).isTrue();
        }
    }

    @Test
    void aServerThatHasNoReplicatorYetGetsOne() {
        try (ScriptedServer server = new ScriptedServer()) {
            var ensured = replications(server).ensure(PULL);
            server.call().answer(404, "{\"error\":\"not_found\",\"reason\":\"Database does not exist.\"}");
            Call create = server.call();
            assertThat(create.first()).startsWith("PUT /_replicator ");
            create.answer(412, "{\"error\":\"file_exists\"}");
            server.call().answer(202, "{\"ok\":true}");
            assertThat(await(ensured)).isTrue();
        }
    }

    @Test
    void whatTheServerRefusesIsAnErrorThatSaysSo() {
        try (ScriptedServer server = new ScriptedServer()) {
            var ensured = replications(server).ensure(PULL);
            server.call().answer(404, "{\"error\":\"not_found\",\"reason\":\"missing\"}");
            server.call().answer(403, "{\"error\":\"forbidden\",\"reason\":\"You are not a server admin.\"}");
            assertThatThrownBy(() -> await(ensured))
                    .hasCauseInstanceOf(CouchException.class)
                    .hasMessageContaining("You are not a server admin.");
        }
    }

    private static HttpCouchDatabase created(URI address) {
        HttpCouchDatabase database = new HttpCouchDatabase(TestClient.settings(address));
        await(database.ensureDatabase());
        return database;
    }

    private static void write(CouchDatabase database, ObjectNode document) {
        assertThat(await(database.write(List.of(document)))).hasOnlyElementsOfType(WriteResult.Accepted.class);
    }

    private static ObjectNode document(String id) {
        return JsonNodeFactory.instance.objectNode().put("_id", id);
    }

    @Test
    void serversThatAskForPasswordsReplicate() {
        try (LocalServer server = LocalServer.withPassword("admin", "geheim");
                HttpCouchDatabase source = created(server.database("source"));
                HttpCouchDatabase target = created(server.database("target"));
                Replications replications =
                        new Replications(TestClient.settings(server.database("source")), new LoginThrottles("test"))) {
            Replication replication =
                    Replication.continuous("copy", server.database("source"), server.database("target"));
            assertThat(await(replications.ensure(replication))).isTrue();
            Recorder recorder = new Recorder();
            target.follow(null, recorder);
            write(source, document("x"));
            await(recorder.told("x"));
            assertThat(await(replications.remove("copy"))).isTrue();
            assertThat(await(replications.remove("copy"))).isFalse();
        }
    }

    @Test
    void aFilterLetsThroughWhatConcernsANode() {
        try (LocalServer server = LocalServer.inMemory();
                HttpCouchDatabase source = created(server.database("source"));
                HttpCouchDatabase target = created(server.database("target"));
                Replications replications =
                        new Replications(TestClient.settings(server.database("source")), new LoginThrottles("test"))) {
            ObjectNode design = document("_design/bridge");
            design.putObject("filters").put("node", "function (doc, req) { return doc.node === req.query.node; }");
            write(source, design);
            write(source, document("theirs").put("node", "b"));
            write(source, document("ours").put("node", "a"));
            Recorder recorder = new Recorder();
            target.follow(null, recorder);
            ObjectNode parameters = JsonNodeFactory.instance.objectNode().put("node", "a");
            await(replications.ensure(
                    Replication.continuous("mine", server.database("source"), server.database("target"))
                            .of(new Replication.Choice.Filter("bridge/node", parameters))));
            await(recorder.told("ours"));
            assertThat(await(target.read(List.of("theirs"))).get(0).current()).isEqualTo(Optional.empty());
        }
    }

    @Test
    void aCookieSessionThatRunsOutOnARealServerIsRenewed() {
        try (LocalServer server = LocalServer.withPassword("admin", "geheim")) {
            CouchSettings settings = TestClient.settings(server.database("jobs"));
            try (HttpCouchDatabase database =
                    new HttpCouchDatabase(settings.withCredentials(new Credentials.Cookie("admin", "geheim")))) {
                await(database.ensureDatabase());
                write(database, document("x"));
                assertThat(PlainHttp.send("POST", server.address().resolve("_expire_sessions")))
                        .isEqualTo(200);
                write(database, document("y"));
            }
        }
    }
}
