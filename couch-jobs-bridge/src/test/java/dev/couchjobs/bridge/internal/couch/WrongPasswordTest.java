package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.couch.ScriptedServer.Call;
import dev.couchjobs.bridge.testing.TestClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A server that refuses the user gets few requests, one at a time, because CouchDB would lock the account. */
class WrongPasswordTest {
    private static final String FOUND = "{\"rows\":[{\"key\":\"x\",\"error\":\"not_found\"}]}";
    private static final String REFUSAL = "{\"error\":\"unauthorized\",\"reason\":\"Name or password is incorrect.\"}";
    private static final String LOCKED =
            "{\"error\":\"forbidden\",\"reason\":\"Account is temporarily locked due to multiple authentication"
                    + " failures\"}";
    private static final String NOT_ADMIN = "{\"error\":\"unauthorized\",\"reason\":\"You are not a server admin.\"}";

    private final ManualTime time = new ManualTime();
    private final ScriptedServer server = new ScriptedServer();
    private final CouchSettings settings = TestClient.settings(server.database())
            .withTimeout(ManualTime.TIMEOUT)
            .withPauses(Duration.ofMillis(100), Duration.ofSeconds(10))
            .withEnvironment(time.environment())
            .withCredentials(new Credentials.Basic("jo", "wrong"));
    private final LoginThrottles loginThrottles = new LoginThrottles("Node reg_a");
    private final HttpCouchDatabase database = new HttpCouchDatabase(settings, loginThrottles);

    @AfterEach
    void close() {
        database.close();
        server.close();
    }

    private CompletableFuture<?> read() {
        return database.read(List.of("x"));
    }

    private static void await(CompletableFuture<?> future) {
        future.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void ofSeveralRequestsOneAsksAndTheOthersWaitUntilItIsAccepted() {
        List<CompletableFuture<?>> reads = Stream.generate(this::read).limit(8).toList();
        server.call().answer(401, REFUSAL);
        for (Duration pause : List.of(Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofMinutes(5))) {
            assertThat(time.passPause()).isEqualTo(pause);
            Call probe = server.call();
            assertThat(server.hasCalls()).isFalse();
            assertThat(database.trouble().orElse(""))
                    .contains(" does not accept the user jo", "Name or password is incorrect.");
            probe.answer(401, REFUSAL);
        }
        assertThat(time.passPause()).isEqualTo(Duration.ofMinutes(5));
        for (int i = 0; i < reads.size(); i++) {
            server.call().answer(200, FOUND);
        }
        reads.forEach(WrongPasswordTest::await);
        assertThat(database.trouble()).isEmpty();
    }

    @Test
    void aPasswordThatBecomesWrongIsRefusedOncePerRequestThatIsUnderWay() {
        CompletableFuture<?> accepted = read();
        server.call().answer(200, FOUND);
        await(accepted);
        List<CompletableFuture<?>> reads = Stream.generate(this::read).limit(3).toList();
        List<Call> calls = Stream.generate(server::call).limit(3).toList();
        calls.forEach(call -> call.answer(401, REFUSAL));
        assertThat(time.passPause()).isEqualTo(Duration.ofSeconds(10));
        server.call().answer(401, REFUSAL);
        assertThat(time.passPause()).isEqualTo(Duration.ofMinutes(1));
        reads.forEach(read -> server.call().answer(200, FOUND));
        reads.forEach(WrongPasswordTest::await);
    }

    @Test
    void allThatTheBridgeAsksAtOneServerIsOneUser() {
        try (Replications replications = new Replications(settings, loginThrottles)) {
            CompletableFuture<?> read = read();
            CompletableFuture<?> removed = replications.remove("some");
            server.call().answer(401, REFUSAL);
            time.awaitPause();
            assertThat(server.hasCalls()).isFalse();
            assertThat(time.passPause()).isEqualTo(Duration.ofSeconds(10));
            Call probe = server.call();
            assertThat(server.hasCalls()).isFalse();
            probe.answer(200, FOUND);
            server.call().answer(404, "{\"error\":\"not_found\",\"reason\":\"missing\"}");
            await(read);
            await(removed);
        }
    }

    @Test
    void aLockedAccountIsLeftAloneForAsLongAsALockLasts() {
        CompletableFuture<?> read = read();
        server.call().answer(403, LOCKED);
        assertThat(time.passPause()).isEqualTo(Duration.ofMinutes(5));
        assertThat(database.trouble().orElse(""))
                .contains("multiple authentication failures (CouchDB ends the lock by itself, after five minutes");
        server.call().answer(200, FOUND);
        await(read);
    }

    @Test
    void aLockedAccountIsAlsoLeftAloneWhenTheDatabaseIsLookedFor() {
        CompletableFuture<?> made = database.ensureDatabase();
        server.call().answer(403, LOCKED);
        assertThat(time.passPause()).isEqualTo(Duration.ofMinutes(5));
        server.call().answer(200, "{\"db_name\":\"jobs\"}");
        await(made);
        assertThat(server.hasCalls()).isFalse();
    }

    static Stream<String> rightsThatAreMissing() {
        return Stream.of(NOT_ADMIN, NOT_ADMIN.replace("server admin", "db or server admin"));
    }

    @ParameterizedTest
    @MethodSource("rightsThatAreMissing")
    void aUserWhoLacksARightKeepsNoOtherRequestWaiting(String refusal) {
        CompletableFuture<?> made = database.ensureDatabase();
        server.call().answer(404, "");
        server.call().answer(401, refusal);
        CompletableFuture<?> read = read();
        server.call().answer(200, FOUND);
        await(read);
        assertThat(made).isNotDone();
    }

    @Test
    void aProbeThatIsNotAnsweredMakesRoomForTheNext() {
        CompletableFuture<?> first = read();
        CompletableFuture<?> second = read();
        server.call().cut();
        server.call().answer(200, FOUND);
        await(second);
        time.passPause();
        server.call().answer(200, FOUND);
        await(first);
    }

    @Test
    void aClosedDatabaseAsksNoMore() {
        CompletableFuture<?> read = read();
        server.call().answer(401, REFUSAL);
        time.awaitPause();
        database.close();
        time.passPause();
        assertThat(read).isCompletedExceptionally();
        assertThat(server.hasCalls()).isFalse();
    }
}
