package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.bridge.internal.couch.ScriptedServer.Call;
import dev.couchjobs.bridge.testing.TestClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads and writes while the server or the connection fails. */
class RequestFaultsTest {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final String FOUND =
            "{\"rows\":[{\"id\":\"x\",\"key\":\"x\",\"value\":{\"rev\":\"1-a\"},\"doc\":{\"_id\":\"x\",\"_rev\":\"1-a\"}}]}";

    private final ManualTime time = new ManualTime();
    private final ScriptedServer server = new ScriptedServer();
    private final HttpCouchDatabase database = new HttpCouchDatabase(TestClient.settings(server.database())
            .withTimeout(ManualTime.TIMEOUT)
            .withPauses(FIRST_PAUSE, LONGEST_PAUSE)
            .withEnvironment(time.environment()));

    @AfterEach
    void close() {
        database.close();
        server.close();
    }

    private static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static ObjectNode document(String id) {
        return JsonNodeFactory.instance.objectNode().put("_id", id);
    }

    private CompletableFuture<List<StoredDocument>> read() {
        return database.read(List.of("x"));
    }

    private void assertThatItIsRead(CompletableFuture<List<StoredDocument>> read) {
        server.call().answer(200, FOUND);
        assertThat(await(read).get(0).leaves()).extracting(Leaf::revision).containsExactly("1-a");
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 408, 425, 429, 500, 502, 503, 504})
    void whatMayPassIsTriedAgainAfterAPause(int status) {
        var read = read();
        server.call().answer(status, "{\"error\":\"some\",\"reason\":\"other\"}");
        assertThat(time.passPause()).isEqualTo(FIRST_PAUSE);
        assertThatItIsRead(read);
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void withAWrongPasswordItIsTriedAgainSlowly(int status) {
        var read = read();
        server.call().answer(status, "{\"error\":\"unauthorized\"}");
        assertThat(time.passPause()).isEqualTo(LONGEST_PAUSE);
        assertThatItIsRead(read);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 405, 406, 412, 415})
    void whatWillNotPassFailsAndSaysWhy(int status) {
        var read = read();
        server.call().answer(status, "{\"error\":\"bad\",\"reason\":\"No such thing\"}");
        assertThatThrownBy(() -> await(read))
                .hasCauseInstanceOf(CouchException.class)
                .hasMessageContaining(status + " bad: No such thing");
    }

    @Test
    void aRedirectionSaysWhichAddressToUse() {
        var read = read();
        server.call().answer(301, "", "Location: https://couch.example/jobs");
        assertThatThrownBy(() -> await(read)).hasMessageContaining("https://couch.example/jobs");
    }

    @Test
    void pausesDoubleUpToTheLongestAndBeginAnewWithTheNextRequest() {
        var read = read();
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            server.call().answer(500, "{}");
            pauses.add(time.passPause().toMillis());
        }
        assertThat(pauses).containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 6400L, 10000L, 10000L);
        assertThatItIsRead(read);

        var next = read();
        server.call().answer(500, "{}");
        assertThat(time.passPause()).isEqualTo(FIRST_PAUSE);
        assertThatItIsRead(next);
    }

    @ParameterizedTest
    @ValueSource(strings = {"30", "Thu, 01 Jan 2026 00:00:30 GMT"})
    void whenTheServerSaysHowLongToWaitThatIsWaited(String retryAfter) {
        var read = read();
        server.call().answer(429, "{}", "Retry-After: " + retryAfter);
        assertThat(time.passPause()).isEqualTo(Duration.ofSeconds(30));
        assertThatItIsRead(read);
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "0", "99999999999999999999", "Thu, 01 Jan 2015 00:00:30 GMT"})
    void whatTheServerSaysIsNotWaitedForIfItMakesNoSense(String retryAfter) {
        var read = read();
        server.call().answer(503, "{}", "Retry-After: " + retryAfter);
        assertThat(time.passPause()).isEqualTo(FIRST_PAUSE);
        assertThatItIsRead(read);
    }

    @Test
    void nobodyWaitsForADay() {
        var read = read();
        server.call().answer(503, "{}", "Retry-After: 86400");
        assertThat(time.passPause()).isEqualTo(Duration.ofMinutes(10));
        assertThatItIsRead(read);
    }

    @Test
    void anAnswerThatDoesNotComeIsGivenUp() {
        var read = read();
        Call silent = server.call();
        time.passTimeout();
        assertThat(silent.isLeft()).isTrue();
        time.passPause();
        assertThatItIsRead(read);
    }

    @Test
    void anAnswerThatStopsHalfWayIsGivenUp() {
        var read = read();
        Call slow = server.call().stream().chunk(FOUND.substring(0, 20));
        time.passTimeout();
        assertThat(slow.isLeft()).isTrue();
        time.passPause();
        assertThatItIsRead(read);
    }

    @Test
    void anAnswerThatIsCutOffIsAskedForAgain() {
        var read = read();
        server.call().stream().chunk(FOUND.substring(0, 20)).cut();
        time.passPause();
        assertThatItIsRead(read);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<html>Out of order</html>", "{\"rows\":[", "{\"rows\":[]}", "[]"})
    void anAnswerThatMakesNoSenseIsAskedForAgain(String nonsense) {
        var read = read();
        server.call().answer(200, nonsense);
        time.passPause();
        assertThatItIsRead(read);
    }

    @Test
    void aWriteWhoseAnswerIsLostIsMadeAgain() {
        var result = database.write(List.of(document("x")));
        server.call().cut();
        time.passPause();
        server.call().answer(201, "[{\"id\":\"x\",\"error\":\"conflict\",\"reason\":\"Document update conflict.\"}]");
        assertThat(await(result)).containsExactly(new WriteResult.Conflict("x"));
    }

    @Test
    void onlyTheDocumentsThatTheServerFailedToWriteAreSentAgain() {
        var result = database.write(List.of(document("x"), document("y"), document("z")));
        server.call()
                .answer(
                        201,
                        "[{\"ok\":true,\"id\":\"x\",\"rev\":\"1-x\"},{\"id\":\"y\",\"error\":\"internal_server_error\"},"
                                + "{\"id\":\"z\",\"error\":\"forbidden\",\"reason\":\"not you\"}]");
        time.passPause();
        Call again = server.call();
        assertThat(again.body()).isEqualTo("{\"docs\":[{\"_id\":\"y\"}]}");
        again.answer(201, "[{\"ok\":true,\"id\":\"y\",\"rev\":\"1-y\"}]");
        assertThat(await(result))
                .containsExactly(
                        new WriteResult.Accepted("x", "1-x"),
                        new WriteResult.Accepted("y", "1-y"),
                        new WriteResult.Refused("z", "forbidden", "not you"));
    }

    @Test
    void aRequestThatIsTooLargeIsHalvedUntilTheDocumentThatIsTooLargeIsAlone() {
        var result = database.write(List.of(document("x"), document("y"), document("z")));
        server.call().answer(413, "{\"error\":\"too_large\",\"reason\":\"the request entity is too large\"}");
        server.call().answer(413, "{\"error\":\"document_too_large\",\"reason\":\"y\"}");
        server.call().answer(201, "[{\"ok\":true,\"id\":\"x\",\"rev\":\"1-x\"}]");
        server.call().answer(413, "{\"error\":\"document_too_large\",\"reason\":\"y\"}");
        server.call().answer(201, "[{\"ok\":true,\"id\":\"z\",\"rev\":\"1-z\"}]");
        assertThat(await(result))
                .containsExactly(
                        new WriteResult.Accepted("x", "1-x"),
                        new WriteResult.Refused("y", "document_too_large", "y"),
                        new WriteResult.Accepted("z", "1-z"));
    }

    @Test
    void aDocumentWithAnAttachmentThatIsGoneConflictsAndHindersNoOther() {
        var result = database.write(List.of(document("x"), document("y")));
        String stub = "{\"error\":\"missing_stub\",\"reason\":\"Invalid attachment stub in x for photo\"}";
        server.call().answer(412, stub);
        server.call().answer(412, stub);
        server.call().answer(201, "[{\"ok\":true,\"id\":\"y\",\"rev\":\"1-y\"}]");
        assertThat(await(result)).containsExactly(new WriteResult.Conflict("x"), new WriteResult.Accepted("y", "1-y"));
    }

    @Test
    void whatTheOtherPartsOfADatabaseSayCountsWhenOneDoesNotAnswer() {
        var result = database.write(List.of(document("x"), document("y")));
        String failed = "{\"id\":\"x\",\"error\":\"internal_server_error\"}";
        server.call().answer(500, "[" + failed + ",{\"ok\":true,\"id\":\"y\",\"rev\":\"1-y\"}]");
        for (int i = 0; i < 4; i++) {
            time.passPause();
            Call again = server.call();
            assertThat(again.body()).isEqualTo("{\"docs\":[{\"_id\":\"x\"}]}");
            again.answer(500, "[" + failed + "]");
        }
        assertThat(await(result))
                .containsExactly(
                        new WriteResult.Refused("x", "internal_server_error", "again and again"),
                        new WriteResult.Accepted("y", "1-y"));
    }

    @Test
    void aVersionThatCannotBeReadForAMomentIsNotTakenForResolved() {
        var read = read();
        String conflict = "\"_rev\":\"1-b\",\"_conflicts\":[\"1-a\"]";
        server.call()
                .answer(200, FOUND.replace("\"rev\":\"1-a\"", "\"rev\":\"1-b\"").replace("\"_rev\":\"1-a\"", conflict));
        String results = "{\"results\":[{\"id\":\"x\",\"docs\":[%s]}]}";
        server.call().answer(200, results.formatted("{\"error\":{\"id\":\"x\",\"error\":\"internal_fabric_error\"}}"));
        time.passPause();
        server.call().answer(200, results.formatted("{\"ok\":{\"_id\":\"x\",\"_rev\":\"1-a\"}}"));
        assertThat(await(read).get(0).leaves()).extracting(Leaf::revision).containsExactly("1-b", "1-a");
    }

    @Test
    void whoClosesEndsWhatIsBeingTriedAgain() {
        var read = read();
        server.call().answer(500, "{}");
        database.close();
        assertThatThrownBy(() -> await(read)).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(server.hasCalls()).isFalse();
    }

    @Test
    void aDatabaseIsCreatedIfThereIsNone() {
        var ensured = database.ensureDatabase();
        server.call().answer(404, "");
        Call put = server.call();
        assertThat(put.first()).startsWith("PUT /jobs ");
        put.answer(201, "{\"ok\":true}");
        await(ensured);
    }

    @Test
    void thatSomebodyElseHasCreatedTheDatabaseIsFine() {
        var ensured = database.ensureDatabase();
        server.call().answer(404, "");
        server.call().answer(412, "{\"error\":\"file_exists\"}");
        await(ensured);

        var again = database.ensureDatabase();
        server.call().answer(200, "");
        await(again);
    }

    @Test
    void anIllegalNameOfADatabaseIsRefusedForGood() {
        var ensured = database.ensureDatabase();
        server.call().answer(404, "");
        server.call().answer(400, "{\"error\":\"illegal_database_name\",\"reason\":\"Name: 'T-T'\"}");
        assertThatThrownBy(() -> await(ensured))
                .hasCauseInstanceOf(CouchException.class)
                .hasMessageContaining("Choose another name");
    }
}
