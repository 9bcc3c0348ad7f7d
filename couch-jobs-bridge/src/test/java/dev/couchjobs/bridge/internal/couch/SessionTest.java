package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.bridge.internal.couch.ScriptedServer.Call;
import dev.couchjobs.bridge.testing.TestClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The authentication of requests. */
class SessionTest {
    private static final String NOTHING = "{\"rows\":[{\"key\":\"x\",\"error\":\"not_found\"}]}";
    private static final Credentials.Cookie COOKIE = new Credentials.Cookie("jörg", "geheim");

    private final ManualTime time = new ManualTime();
    private final ScriptedServer server = new ScriptedServer();

    @AfterEach
    void close() {
        server.close();
    }

    private HttpCouchDatabase database(Credentials credentials) {
        return new HttpCouchDatabase(TestClient.settings(server.database())
                .withTimeout(ManualTime.TIMEOUT)
                .withPauses(Duration.ofMillis(100), Duration.ofSeconds(10))
                .withEnvironment(time.environment())
                .withCredentials(credentials));
    }

    private static CompletableFuture<List<StoredDocument>> read(CouchDatabase database) {
        return database.read(List.of("x"));
    }

    private static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private void logIn(String cookie) {
        Call call = server.call();
        assertThat(call.first()).startsWith("POST /_session ");
        assertThat(call.body()).isEqualTo("{\"name\":\"jörg\",\"password\":\"geheim\"}");
        call.answer(200, "{\"ok\":true}", "Set-Cookie: AuthSession=" + cookie + "; Version=1; Path=/; HttpOnly");
    }

    private void answerWhoShows(String cookie) {
        Call call = server.call();
        assertThat(call.header("Cookie")).isEqualTo("AuthSession=" + cookie);
        call.answer(200, NOTHING);
    }

    @Test
    void basicCredentialsGoWithEveryRequest() {
        CouchDatabase database = database(new Credentials.Basic("jörg", "geheim"));
        for (int i = 0; i < 2; i++) {
            var read = read(database);
            Call call = server.call();
            assertThat(call.header("Authorization")).isEqualTo("Basic asO2cmc6Z2VoZWlt");
            call.answer(200, NOTHING);
            await(read);
        }
    }

    @Test
    void aCookieIsAskedForOnceAndShownWithEveryRequest() {
        CouchDatabase database = database(COOKIE);
        var first = read(database);
        var second = read(database);
        logIn("one");
        answerWhoShows("one");
        answerWhoShows("one");
        await(first);
        await(second);
    }

    @Test
    void aSessionThatHasRunOutIsRenewedWithoutAPause() {
        CouchDatabase database = database(COOKIE);
        var read = read(database);
        logIn("one");
        server.call().answer(401, "{\"error\":\"unauthorized\"}");
        logIn("two");
        answerWhoShows("two");
        await(read);
    }

    @Test
    void aFeedRenewsItsSessionToo() {
        Recorder recorder = new Recorder();
        CouchDatabase database = database(COOKIE);
        database.follow(null, recorder);
        logIn("one");
        server.call().answer(401, "{\"error\":\"unauthorized\"}");
        logIn("two");
        Call call = server.call();
        assertThat(call.header("Cookie")).isEqualTo("AuthSession=two");
        call.stream().chunk("{\"seq\":\"1\",\"id\":\"x\",\"changes\":[{\"rev\":\"1-a\"}]}\n");
        await(recorder.told("x"));
        database.close();
    }

    @Test
    void aNewerCookieThatComesWithAnAnswerReplacesTheOld() {
        CouchDatabase database = database(COOKIE);
        var first = read(database);
        logIn("one");
        server.call().answer(200, NOTHING, "Set-Cookie: AuthSession=two; Version=1; Path=/; HttpOnly");
        await(first);
        var second = read(database);
        answerWhoShows("two");
        await(second);
    }

    @Test
    void aWrongPasswordIsTriedAgainSlowly() {
        var read = read(database(COOKIE));
        server.call().answer(401, "{\"error\":\"unauthorized\",\"reason\":\"Name or password is incorrect.\"}");
        assertThat(time.passPause()).isEqualTo(Duration.ofSeconds(10));
        logIn("one");
        answerWhoShows("one");
        await(read);
    }

    @Test
    void aServerWithoutSessionsIsAnErrorThatSaysWhatToDo() {
        var read = read(database(COOKIE));
        server.call().answer(200, "{\"ok\":true}");
        assertThatThrownBy(() -> await(read))
                .hasCauseInstanceOf(CouchException.class)
                .hasMessageContaining("use basic authentication");
    }
}
