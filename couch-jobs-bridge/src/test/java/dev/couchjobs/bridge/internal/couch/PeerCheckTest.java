package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.testing.TestClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checks whether the database of a peer exists, so that CouchDB can replicate with it. */
class PeerCheckTest {
    private static final String INCORRECT =
            "{\"error\":\"unauthorized\",\"reason\":\"Name or password is incorrect.\"}";
    private static final String FOUND = "{\"db_name\":\"jobs\"}";
    /** The pause after the first refusal. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ManualTime time = new ManualTime();
    private final ScriptedServer server = new ScriptedServer();
    private final CouchSettings settings = TestClient.settings(server.database())
            .withTimeout(ManualTime.TIMEOUT)
            .withPauses(Duration.ofMillis(100), Duration.ofSeconds(10))
            .withEnvironment(time.environment())
            .withCredentials(new Credentials.Basic("jo", "secret"));
    private final PeerCheck peers = new PeerCheck(new LoginThrottles("Node reg_a"));

    @AfterEach
    void close() {
        peers.close();
        server.close();
    }

    private static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void aDatabaseThatIsMissingIsMade() {
        CompletableFuture<Boolean> made = peers.make(settings);
        server.call().answer(404, "{\"error\":\"not_found\",\"reason\":\"Database does not exist.\"}");
        ScriptedServer.Call put = server.call();
        assertThat(put.first()).startsWith("PUT /jobs ");
        put.answer(201, "{\"ok\":true}");
        assertThat(await(made)).isTrue();
    }

    @Test
    void aPeerThatDoesNotAnswerIsWaitedForOnlyForAWhile() {
        CompletableFuture<Boolean> made = peers.make(settings);
        CompletableFuture<Boolean> isThere = peers.isThere(settings);
        time.pass(PATIENCE);
        time.pass(PATIENCE);
        assertThat(await(made)).isFalse();
        assertThat(await(isThere)).isFalse();
    }

    @Test
    void aPeerThatRefusesTheUserIsWaitedForBeforeCouchDbIsSentThere() {
        CompletableFuture<Boolean> made = peers.make(settings);
        server.call().answer(401, INCORRECT);
        time.pass(FIRST_PAUSE);
        ScriptedServer.Call probe = server.call();
        time.pass(PATIENCE);
        assertThat(peers.troubles()).singleElement().asString().contains("does not accept the user jo");

        probe.answer(200, FOUND);
        assertThat(await(made)).isTrue();
        assertThat(peers.troubles()).isEmpty();
    }

    @Test
    void aPeerIsThereIfItAnswersAndAcceptsTheUser() {
        CompletableFuture<Boolean> isThere = peers.isThere(settings);
        server.call().answer(200, FOUND);
        assertThat(await(isThere)).isTrue();

        CompletableFuture<Boolean> isGone = peers.isThere(settings);
        server.call().answer(404, "{}");
        assertThat(await(isGone)).isFalse();

        CompletableFuture<Boolean> isRefused = peers.isThere(settings);
        server.call().answer(401, INCORRECT);
        time.pass(FIRST_PAUSE);
        server.call().answer(401, INCORRECT);
        time.pass(PATIENCE);
        assertThat(await(isRefused)).isFalse();
    }
}
