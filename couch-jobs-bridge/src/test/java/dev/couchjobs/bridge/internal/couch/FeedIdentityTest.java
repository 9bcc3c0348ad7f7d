package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Environment;
import dev.couchjobs.bridge.testing.TestClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** A feed distinguishes its database from another one at the same address. */
class FeedIdentityTest {
    private static final String NO_MARKER = "{\"error\":\"not_found\",\"reason\":\"missing\"}";
    private static final String NO_DATABASE = "{\"error\":\"not_found\",\"reason\":\"Database does not exist.\"}";

    private final ManualTime time = new ManualTime();
    private final ScriptedServer server = new ScriptedServer().unidentified();
    private final Recorder recorder = new Recorder();
    private final CouchSettings settings = TestClient.settings(server.database())
            .withTimeout(ManualTime.TIMEOUT)
            .withHeartbeat(Duration.ofSeconds(10))
            .withEnvironment(time.environment());
    private final CompletableFuture<Void> replaced = new CompletableFuture<>();
    private HttpCouchDatabase database = new HttpCouchDatabase(settings);

    @AfterEach
    void close() {
        database.close();
        server.close();
    }

    private void follow(@Nullable JsonNode since) {
        database.whenReplaced(() -> replaced.complete(null));
        database.follow(since, recorder);
    }

    private static JsonNode text(String text) {
        return JsonNodeFactory.instance.stringNode(text);
    }

    private static JsonNode position(String database, String since) {
        return JsonNodeFactory.instance.objectNode().put("database", database).put("since", since);
    }

    private ScriptedServer.Call expect(String method, String path) {
        ScriptedServer.Call call = server.call();
        assertThat(call.first()).startsWith(method + " /jobs" + path);
        return call;
    }

    private void identify(String id) {
        expect("GET", "/_local/couch-jobs").answer(200, "{\"id\":\"" + id + "\"}");
    }

    private ScriptedServer.Call changes() {
        return expect("GET", "/_changes");
    }

    private JsonNode told(ScriptedServer.Call changes) {
        changes.stream().chunk("{\"seq\":\"after-x\",\"id\":\"x\",\"changes\":[{\"rev\":\"1-a\"}]}\n");
        return recorder.told("x").orTimeout(20, TimeUnit.SECONDS).join().get(0).position();
    }

    @Test
    void aPositionSaysWhichDatabaseItIsOf() {
        follow(null);
        identify("one");
        assertThat(told(changes())).isEqualTo(position("one", "after-x"));
    }

    @Test
    void aPositionOfTheSameDatabaseIsGoneOnFrom() {
        follow(position("one", "8"));
        identify("one");
        assertThat(changes().target()).endsWith("&since=8");
        assertThat(replaced).isNotDone();
    }

    @Test
    void anotherDatabaseIsReadFromItsStart() {
        follow(position("one", "8"));
        identify("other");
        ScriptedServer.Call changes = changes();
        assertThat(changes.target()).doesNotContain("since");
        assertThat(told(changes)).isEqualTo(position("other", "after-x"));
        replaced.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void aPositionThatDoesNotSayOfWhichDatabaseIsTakenAsItIsOnce() {
        follow(text("8"));
        identify("one");
        ScriptedServer.Call changes = changes();
        assertThat(changes.target()).endsWith("&since=8");
        assertThat(told(changes)).isEqualTo(position("one", "after-x"));
    }

    @Test
    void aDatabaseThatIsReplacedWhileItIsFollowedIsReadFromItsStart() {
        follow(null);
        identify("one");
        ScriptedServer.Call changes = changes();
        told(changes);
        changes.cut();
        time.passPause();
        identify("other");
        assertThat(changes().target()).doesNotContain("since");
        replaced.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @ParameterizedTest
    @ValueSource(ints = {201, 409})
    void whatIsThereAfterSomebodyHasGivenItAnIdentityHolds(int status) {
        follow(position("one", "8"));
        expect("GET", "/_local/couch-jobs").answer(404, NO_MARKER);
        ScriptedServer.Call put = expect("PUT", "/_local/couch-jobs");
        assertThat(put.body()).contains("\"id\":\"");
        put.answer(status, "{}");
        identify("of somebody else");
        ScriptedServer.Call changes = changes();
        assertThat(changes.target()).doesNotContain("since");
        assertThat(told(changes)).isEqualTo(position("of somebody else", "after-x"));
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void whoMayNotGiveItAnIdentityFollowsItWithout(int status) {
        follow(text("8"));
        expect("GET", "/_local/couch-jobs").answer(404, NO_MARKER);
        expect("PUT", "/_local/couch-jobs").answer(status, "{\"error\":\"forbidden\"}");
        ScriptedServer.Call changes = changes();
        assertThat(changes.target()).endsWith("&since=8");
        assertThat(told(changes)).isEqualTo(text("after-x"));
    }

    @Test
    void aServerThatDoesNotSayWhichDatabaseItIsIsAskedAgain() {
        follow(position("one", "8"));
        expect("GET", "/_local/couch-jobs").answer(500, "{}");
        time.passPause();
        identify("one");
        assertThat(changes().target()).endsWith("&since=8");
    }

    @Test
    void anErrorWithWhichAFeedCannotBeginIsAFault() {
        AtomicBoolean fails = new AtomicBoolean();
        Environment failing = new Environment(
                () -> {
                    if (fails.getAndSet(false)) {
                        throw new OutOfMemoryError("no memory for a feed");
                    }
                    return time.instant();
                },
                time,
                () -> 0L);
        database = new HttpCouchDatabase(settings.withEnvironment(failing));
        follow(null);
        ScriptedServer.Call identity = expect("GET", "/_local/couch-jobs");
        fails.set(true);
        identity.answer(200, "{\"id\":\"one\"}");
        time.passPause();
        identify("one");
        told(changes());
    }

    @Test
    void aDatabaseThatIsNotThereIsWaitedFor() {
        follow(null);
        expect("GET", "/_local/couch-jobs").answer(404, NO_DATABASE);
        time.passPause();
        identify("one");
        told(changes());
    }

    @Test
    void aDatabaseThatVanishesIsMadeAgain() {
        database = new HttpCouchDatabase(settings.withCreation(true));
        follow(position("one", "8"));
        expect("GET", "/_local/couch-jobs").answer(404, NO_DATABASE);
        expect("PUT", " ").answer(201, "{\"ok\":true}");
        expect("PUT", "/_local/couch-jobs").answer(201, "{\"ok\":true}");
        identify("other");
        assertThat(changes().target()).doesNotContain("since");
    }
}
