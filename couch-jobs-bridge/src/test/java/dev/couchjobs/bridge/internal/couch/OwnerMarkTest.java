package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.bridge.internal.couch.ScriptedServer.Call;
import dev.couchjobs.bridge.testing.TestClient;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bridges of the same name detect each other. */
class OwnerMarkTest {
    private static final String NOTHING = "{\"error\":\"not_found\",\"reason\":\"missing\"}";
    private static final String OTHER =
            "{\"_id\":\"_local/x\",\"_rev\":\"0-7\",\"owner\":\"bbbbbbbbbb\",\"process\":\"q\",\"place\":\"host b,"
                    + " in the"
                    + " directory /b\",\"seen\":\"2025-12-31T00:00:00Z\"}";

    private final ManualTime time = new ManualTime();
    private final ScriptedServer server = new ScriptedServer();
    private final HttpCouchDatabase couch = new HttpCouchDatabase(TestClient.settings(server.database())
            .withTimeout(ManualTime.TIMEOUT)
            .withPauses(Duration.ofMillis(100), Duration.ofSeconds(10))
            .withEnvironment(time.environment()));
    private final CompletableFuture<String> lost = new CompletableFuture<>();
    private final OwnerMark mark = new OwnerMark(
            couch,
            time.environment(),
            new OwnerMark.Owner("reg_a", "aaaaaaaaaa", "host a, in the directory /a"),
            lost::complete);

    @AfterEach
    void close() {
        couch.close();
        server.close();
    }

    private static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private Call expect(String method) {
        Call call = server.call();
        assertThat(call.first()).startsWith(method + " /jobs/_local/couch-jobs-bridge-reg_a ");
        return call;
    }

    /** {@return the mark that is written} */
    private String written() {
        Call put = expect("PUT");
        put.answer(201, "{\"ok\":true}");
        return put.body();
    }

    private String claimed() {
        CompletableFuture<Void> claim = mark.claim(false);
        expect("GET").answer(404, NOTHING);
        String written = written();
        expect("GET").answer(200, written);
        await(claim);
        return written;
    }

    @Test
    void aDatabaseWithoutAMarkIsMarkedWithWhoIsWhereAndWhen() {
        assertThat(claimed())
                .contains(
                        "\"owner\":\"aaaaaaaaaa\"", "host a, in the directory /a", "\"seen\":\"2026-01-01T00:00:00Z\"");
    }

    @Test
    void aSecondBridgeOfTheNameIsRefusedAndToldOfBothAndWhatToDo() {
        CompletableFuture<Void> claim = mark.claim(false);
        expect("GET").answer(200, OTHER);

        assertThatThrownBy(() -> await(claim))
                .hasCauseInstanceOf(OwnerMark.OwnedException.class)
                .hasMessageContaining("aaaaaaaa (host a, in the directory /a)")
                .hasMessageContaining("bbbbbbbb (host b, in the directory /b), seen last at 2025-12-31T00:00:00Z")
                .hasMessageContaining("--take-over");
        assertThat(time.hasPeriodicTimers()).isFalse();
    }

    @Test
    void itTakesOverIfItIsToldTo() {
        CompletableFuture<Void> claim = mark.claim(true);
        expect("GET").answer(200, OTHER);
        String written = written();
        assertThat(written).contains("\"_rev\":\"0-7\"");
        expect("GET").answer(200, written);
        await(claim);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ended", "started again"})
    void aBridgeThatHasEndedOrIsTheSameIsNotInTheWay(String how) {
        CompletableFuture<Void> claim = mark.claim(false);
        expect("GET")
                .answer(
                        200,
                        how.equals("ended")
                                ? OTHER.replace("}", ",\"ended\":true}")
                                : OTHER.replace("bbbbbbbbbb", "aaaaaaaaaa"));
        String written = written();
        expect("GET").answer(200, written);
        await(claim);
    }

    @Test
    void ofTwoThatBeginAtOnceTheOneThatWroteLastPrevails() {
        CompletableFuture<Void> claim = mark.claim(false);
        expect("GET").answer(404, NOTHING);
        written();
        expect("GET").answer(200, OTHER);
        time.passPause();
        expect("GET").answer(200, OTHER);
        assertThatThrownBy(() -> await(claim)).hasCauseInstanceOf(OwnerMark.OwnedException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {409, 201})
    void aMarkThatIsNeverWrittenOrNeverSeenIsWrittenWithGrowingPauses(int status) {
        CompletableFuture<Void> claim = mark.claim(false);
        Instant end = time.instant().plus(Duration.ofMinutes(1));
        int rounds = 0;
        while (time.instant().isBefore(end)) {
            rounds++;
            unmarked(status);
            time.passPause();
        }
        assertThat(rounds).isBetween(5, 20);
        assertThat(claim).isNotDone();

        expect("GET").answer(404, NOTHING);
        String written = written();
        expect("GET").answer(200, written);
        await(claim);
    }

    /** Answers a claim so that the database has no mark afterwards. */
    private void unmarked(int status) {
        expect("GET").answer(404, NOTHING);
        expect("PUT").answer(status, "{}");
        if (status == 201) {
            expect("GET").answer(404, NOTHING);
        }
    }

    @Test
    void aBridgeThatEndsWhileItsClaimPausesSetsNoMarkAndNoTimer() {
        CompletableFuture<Void> claim = mark.claim(false);
        unmarked(409);
        time.awaitPause();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(mark::close, couch.executor());
        expect("GET").answer(404, NOTHING);
        await(closed);
        assertThat(claim).failsWithin(1, TimeUnit.MINUTES);
        assertThat(time.hasPauses()).isFalse();
        assertThat(server.hasCalls()).isFalse();
    }

    @Test
    void aBridgeThatEndsWhileItMarksItsDatabaseFreesIt() {
        CompletableFuture<Void> unused = mark.claim(false);
        expect("GET").answer(404, NOTHING);
        Call put = expect("PUT");
        CompletableFuture<Void> closed = CompletableFuture.runAsync(mark::close);
        put.answer(201, "{\"ok\":true}");

        boolean isFreed = false;
        while (!isFreed) { // the claim reads its mark, too
            Call call = server.call();
            isFreed = call.first().startsWith("PUT ");
            assertThat(call.body().contains("\"ended\":true")).isEqualTo(isFreed);
            call.answer(isFreed ? 201 : 200, isFreed ? "{\"ok\":true}" : put.body());
        }
        await(closed);
    }

    @Test
    void onceAMinuteItSaysThatItIsAlive() {
        String written = claimed();
        time.tick();
        expect("GET").answer(200, written);
        assertThat(written()).contains("\"owner\":\"aaaaaaaaaa\"", "\"seen\":\"2026-01-01T00:01:00Z\"");
        assertThat(lost).isNotDone();
    }

    @Test
    void whenAnotherHasTakenOverItSaysSoOnceAndLeavesTheMarkAlone() {
        claimed();
        time.tick();
        expect("GET").answer(200, OTHER);
        assertThat(await(lost)).contains("has taken", "bbbbbbbb (host b, in the directory /b)");
        assertThat(time.hasPeriodicTimers()).isFalse();
        mark.close();
        assertThat(server.hasCalls()).isFalse();
    }

    @Test
    void aCopyOfItsDirectoryIsNoticedByTheProcess() {
        String written = claimed();
        time.tick();
        expect("GET").answer(200, written.replaceFirst("\"process\":\"[^\"]*\"", "\"process\":\"other\""));
        assertThat(await(lost)).contains("another process with the same store", "copy");
    }

    @Test
    void aUserWhoMayNotMarkTheDatabaseWorksWithout() {
        CompletableFuture<Void> claim = mark.claim(false);
        expect("GET").answer(404, NOTHING);
        expect("PUT").answer(403, "{\"error\":\"forbidden\",\"reason\":\"not you\"}");
        await(claim);
        assertThat(time.hasPeriodicTimers()).isFalse();
    }

    @Test
    void aBridgeThatEndsSetsTheDatabaseFree() {
        String written = claimed();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(mark::close, couch.executor());
        expect("GET").answer(200, written);
        assertThat(written()).contains("\"ended\":true");
        await(closed);
    }
}
