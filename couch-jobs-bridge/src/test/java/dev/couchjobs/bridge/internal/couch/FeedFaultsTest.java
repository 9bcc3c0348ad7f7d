package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.couch.Recorder.Call;
import dev.couchjobs.bridge.testing.TestClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** The recovery of a feed from faults of its connection. */
class FeedFaultsTest {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    /** The half heartbeats after which a silent connection is closed. */
    private static final int TICKS = 5;

    private final ManualTime time = new ManualTime();
    private final ScriptedServer server = new ScriptedServer();
    private final Recorder recorder = new Recorder();
    private final HttpCouchDatabase database = new HttpCouchDatabase(TestClient.settings(server.database())
            .withTimeout(ManualTime.TIMEOUT)
            .withHeartbeat(Duration.ofSeconds(10))
            .withBatch(10)
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

    private static String row(String id) {
        return "{\"seq\":\"after-" + id + "\",\"id\":\"" + id + "\",\"changes\":[{\"rev\":\"1-a\"}]}\n";
    }

    private ScriptedServer.Call follow(@Nullable JsonNode since) {
        database.follow(since, recorder);
        return server.call();
    }

    private List<Call> told(String... ids) {
        return await(recorder.told(ids));
    }

    /** Advances the time until the connection is closed. */
    private void silence() {
        while (time.hasPeriodicTimers()) {
            time.tick();
        }
    }

    @Test
    void theServerIsAskedToStreamAllLeavesWithHeartbeatsAndUncompressed() {
        ScriptedServer.Call call = follow(JsonNodeFactory.instance.stringNode("12-g1AAA+/="));
        assertThat(call.target())
                .isEqualTo("/jobs/_changes?feed=continuous&style=all_docs&heartbeat=10000&since=12-g1AAA%2B%2F%3D");
        assertThat(call.header("Accept-Encoding")).isEmpty();
    }

    @Test
    void aPositionMayBeAnyJson() {
        JsonNode bigCouch = JsonNodeFactory.instance.arrayNode().add(12).add("g1AAA");
        assertThat(follow(bigCouch).target()).endsWith("&since=%5B12%2C%22g1AAA%22%5D");
        assertThat(follow(JsonNodeFactory.instance.numberNode(7)).target()).endsWith("&since=7");
        assertThat(follow(JsonNodeFactory.instance.nullNode()).target()).doesNotContain("since");
    }

    @Test
    void aTruncatedLineIsReadAgainFromTheLastPositionThatWasDealtWith() {
        follow(null).stream().chunk(row("x") + "{\"seq\":\"after-y\",\"id\":").cut();
        told("x");
        assertThat(time.passPause()).isEqualTo(FIRST_PAUSE);
        ScriptedServer.Call next = server.call();
        assertThat(next.target()).endsWith("&since=after-x");
        next.stream().chunk(row("y"));
        told("y");
    }

    @Test
    void aStreamThatEndsWithinALineIsReadAgainToo() {
        follow(null).stream().chunk(row("x") + "{\"seq\":\"after-y\"").endOfChunks();
        told("x");
        time.passPause();
        assertThat(server.call().target()).endsWith("&since=after-x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"error\":\"timeout\",\"reason\":\"The request could not be processed\"}\n",
                "nonsense\n",
                "{\"id\":\"y\",\"changes\":[]}\n",
                "[]\n"
            })
    void aLineThatIsNoChangeIsNotPassedOverInSilence(String line) {
        follow(null).stream().chunk(row("x") + line);
        told("x");
        time.passPause();
        assertThat(server.call().target()).endsWith("&since=after-x");
    }

    @Test
    void aConnectionThatIsHalfOpenIsGivenUp() {
        ScriptedServer.Call silent = follow(null).stream().chunk(row("x"));
        told("x");
        silence();
        assertThat(silent.isLeft()).isTrue();
        time.passPause();
        assertThat(server.call().target()).endsWith("&since=after-x");
    }

    @Test
    void whatComesNowAndThenKeepsAConnectionOpen() {
        ScriptedServer.Call open = follow(null).stream();
        for (String id : List.of("a", "b", "c", "d", "e")) {
            for (int i = 0; i < TICKS; i++) {
                time.tick();
            }
            open.chunk("\n" + row(id));
            told(id);
        }
        assertThat(server.hasCalls()).isFalse();
    }

    @Test
    void aBusyListenerIsNoReasonToGiveAConnectionUp() {
        CompletableFuture<Void> busy = new CompletableFuture<>();
        recorder.answerWith(busy);
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            many.append(row("d" + i));
        }
        ScriptedServer.Call open = follow(null).stream().chunk(many.toString());
        told("d0");
        for (int i = 0; i < 3 * TICKS; i++) {
            time.tick();
        }
        recorder.answerWith(CompletableFuture.completedFuture(null));
        busy.complete(null);
        open.chunk(row("last"));
        told("last");
        assertThat(server.hasCalls()).isFalse();
    }

    @Test
    void whereHeartbeatsNeverComeItIsPolledInstead() {
        follow(null);
        silence();
        time.passPause();
        server.call().stream();
        silence();
        time.passPause();
        ScriptedServer.Call poll = server.call();
        assertThat(poll.target()).isEqualTo("/jobs/_changes?feed=longpoll&style=all_docs&limit=10&timeout=10000");
        poll.answer(200, "{\"results\":[\n" + row("x") + "],\n\"last_seq\":\"after-x\",\"pending\":0}");
        told("x");
        assertThat(server.call().target()).endsWith("&timeout=10000&since=after-x");
    }

    @Test
    void heartbeatsThatDidComeShowThatTheServerStreams() {
        follow(null).stream().chunk("\n").chunk(row("x"));
        told("x");
        silence();
        time.passPause();
        server.call().stream().chunk("\n").chunk(row("y"));
        told("y");
        silence();
        time.passPause();
        assertThat(server.call().target()).contains("feed=continuous");
    }

    @Test
    void aServerThatAnswersAllAtOnceIsPolledFromThenOn() {
        follow(null).answer(200, "{\"results\":[\n" + row("x") + "],\n\"last_seq\":\"after-x\"}");
        time.passPause();
        assertThat(server.call().target()).contains("feed=longpoll");
    }

    @Test
    void aPollThatFailsBringsTheStreamBack() {
        follow(null).answer(200, "{\"results\":[\n");
        time.passPause();
        server.call().answer(502, "");
        time.passPause();
        assertThat(server.call().target()).contains("feed=continuous");
        silence();
        time.passPause();
        assertThat(server.call().target()).contains("feed=longpoll");
    }

    @Test
    void aPollThatIsAnsweredTooSoonWithNothingIsNotRepeatedAtOnce() {
        follow(null).answer(200, "{\"results\":[\n],\n\"last_seq\":\"0\"}");
        time.passPause();
        server.call().answer(200, "{\"results\":[],\"last_seq\":\"0\"}");
        assertThat(time.passPause()).isGreaterThan(FIRST_PAUSE);
        assertThat(server.call().target()).contains("feed=longpoll").endsWith("&since=0");
    }

    @Test
    void aCharacterMayBeCutInTwo() {
        byte[] bytes = row("jörg").getBytes(StandardCharsets.UTF_8);
        int within = new String(bytes, StandardCharsets.ISO_8859_1).indexOf('Ã') + 1;
        follow(null).stream()
                .chunk(Arrays.copyOfRange(bytes, 0, within))
                .chunk(Arrays.copyOfRange(bytes, within, bytes.length));
        told("jörg");
    }

    @Test
    void aLineMayComeByteByByte() {
        ScriptedServer.Call slow = follow(null).stream();
        for (byte each : row("x").getBytes(StandardCharsets.UTF_8)) {
            slow.chunk(new byte[] {each});
        }
        told("x");
    }

    @Test
    void aLineOfAHundredThousandLeavesIsRead() {
        String leaves = "{\"rev\":\"1-a\"},".repeat(100_000) + "{\"rev\":\"1-b\"}";
        follow(null).stream().chunk("{\"seq\":\"1\",\"id\":\"x\",\"changes\":[" + leaves + "]}\n");
        assertThat(told("x").get(0).changes().get(0).revisions()).hasSize(100_001);
    }

    @Test
    void aLineWithoutAnEndIsGivenUpBeforeItFillsTheMemory() {
        ScriptedServer.Call endless = follow(null).stream();
        byte[] part = new byte[1 << 20];
        Arrays.fill(part, (byte) 'x');
        for (int sent = 0; sent < LineReader.LONGEST_LINE; sent += part.length) {
            endless.chunk(part);
        }
        endless.chunk("x");
        time.passPause();
        assertThat(endless.isLeft()).isTrue();
        server.call();
    }

    @Test
    void ofSeveralChangesOfADocumentTheLastIsTold() {
        String older = "{\"seq\":\"1\",\"id\":\"x\",\"changes\":[{\"rev\":\"1-a\"}]}\n";
        String newer =
                "{\"seq\":\"3\",\"id\":\"x\",\"changes\":[{\"rev\":\"2-b\"},{\"rev\":\"2-a\"}],\"deleted\":true}\n";
        follow(null).stream().chunk(older + row("y") + newer);
        Call call = told("x", "y").get(0);
        assertThat(call.changes())
                .containsExactly(
                        new DocumentChange("y", List.of("1-a"), false),
                        new DocumentChange("x", List.of("2-b", "2-a"), true));
        assertThat(call.position().path("since")).isEqualTo(JsonNodeFactory.instance.stringNode("3"));
    }

    @Test
    void aPositionThatTheServerDoesNotKnowIsForgotten() {
        follow(JsonNodeFactory.instance.stringNode("kaputt"))
                .answer(400, "{\"error\":\"bad_request\",\"reason\":\"Malformed sequence\"}");
        ScriptedServer.Call fromTheBeginning = server.call();
        assertThat(fromTheBeginning.target()).doesNotContain("since");
        fromTheBeginning.answer(400, "{\"error\":\"bad_request\"}");
        assertThat(time.passPause()).isEqualTo(LONGEST_PAUSE);
        server.call().stream().chunk(row("x"));
        told("x");
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 429, 500, 503})
    void whatMayPassIsWaitedFor(int status) {
        follow(null).answer(status, "{\"error\":\"some\"}");
        assertThat(time.passPause()).isEqualTo(FIRST_PAUSE);
        server.call().answer(status, "{\"error\":\"some\"}");
        assertThat(time.passPause()).isEqualTo(FIRST_PAUSE.multipliedBy(2));
        server.call().stream().chunk(row("x"));
        told("x");
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 401, 403, 406})
    void whatAPersonHasToMendIsTriedAgainSlowly(int status) {
        follow(null).answer(status, "{\"error\":\"some\"}");
        assertThat(time.passPause()).isEqualTo(LONGEST_PAUSE);
        server.call().stream().chunk(row("x"));
        told("x");
    }

    @Test
    void aServerThatEndsAFeedInOrderIsAskedOnAtOnce() {
        follow(null).stream()
                .chunk(row("x") + "{\"last_seq\":\"after-all\",\"pending\":0}\n")
                .endOfChunks();
        assertThat(server.call().target()).endsWith("&since=after-all");
        told("x");
    }

    @Test
    void aServerThatEndsAFeedAtOnceIsNotAskedOnAtOnce() {
        follow(null).stream().chunk("\n{\"last_seq\":\"0\"}\n").endOfChunks();
        assertThat(time.passPause()).isEqualTo(FIRST_PAUSE);
        server.call().stream().endOfChunks();
        assertThat(time.passPause()).isEqualTo(FIRST_PAUSE.multipliedBy(2));
        server.call();
    }

    /** For example behind a cache that does not regard the position. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aServerThatIgnoresThePositionIsAskedWithGrowingPauses(boolean isPolled) {
        ScriptedServer.Call call = follow(null);
        if (isPolled) {
            call.answer(200, "{\"results\":[\n");
            time.passPause();
            call = server.call();
        }
        bring(call, "x", "y");
        told("x", "y");
        call = server.call();
        assertThat(call.target()).endsWith("&since=after-y");

        Instant end = time.instant().plus(Duration.ofMinutes(1));
        int requests = 0;
        while (time.instant().isBefore(end)) {
            requests++;
            bring(call, "x", "y");
            time.passPause();
            call = server.call();
        }
        assertThat(requests).isBetween(5, 20);

        bring(call, "z");
        told("z");
        assertThat(server.call().target()).endsWith("&since=after-z");
    }

    /** Answers a request for changes completely. */
    private static void bring(ScriptedServer.Call call, String... ids) {
        List<String> rows = Arrays.stream(ids).map(FeedFaultsTest::row).toList();
        if (call.target().contains("feed=longpoll")) {
            String last = "\"after-" + ids[ids.length - 1] + "\"";
            call.answer(200, "{\"results\":[" + String.join(",", rows) + "],\"last_seq\":" + last + "}");
        } else {
            call.stream().chunk(String.join("", rows)).endOfChunks();
        }
    }

    @Test
    void aServerThatRefusesEveryPositionIsAskedSlowly() {
        bring(follow(null), "x");
        told("x");
        server.call().answer(400, "{\"error\":\"bad_request\"}");
        bring(server.call(), "x", "y");
        told("y");
        server.call().answer(400, "{\"error\":\"bad_request\"}");
        assertThat(time.passPause()).isEqualTo(LONGEST_PAUSE);
        assertThat(server.call().target()).doesNotContain("since");
    }

    @Test
    void whatAListenerFailedToDealWithIsReadAgainAfterAPause() {
        recorder.answerWith(CompletableFuture.failedFuture(new IllegalStateException("not now")));
        ScriptedServer.Call first = follow(JsonNodeFactory.instance.stringNode("before")).stream();
        first.chunk(row("x") + row("y"));
        told("x");
        assertThat(first.isLeft()).isTrue();
        recorder.answerWith(CompletableFuture.completedFuture(null));
        assertThat(time.passPause()).isEqualTo(FIRST_PAUSE);
        assertThat(server.call().target()).endsWith("&since=before");
    }

    @Test
    void aFeedThatIsClosedLeavesTheServer() {
        ChangesFeed feed = database.follow(null, recorder);
        ScriptedServer.Call open = server.call().stream().chunk(row("x"));
        told("x");
        feed.close();
        assertThat(open.isLeft()).isTrue();
    }

    @Test
    void aFeedThatIsClosedWhileItPausesDoesNotComeBack() {
        ChangesFeed feed = database.follow(null, recorder);
        server.call().answer(500, "{}");
        time.awaitPause();
        feed.close();
        assertThat(time.hasPauses()).isFalse();
    }

    @Test
    void aDatabaseThatIsClosedIsNotFollowed() {
        database.close();
        database.follow(null, recorder).close();
        assertThat(server.hasCalls()).isFalse();
        assertThat(time.hasPauses()).isFalse();
        assertThat(time.hasPeriodicTimers()).isFalse();
    }

    @Test
    void aBatchThatIsNeverDealtWithIsReadAgain() {
        recorder.answerWith(new CompletableFuture<>());
        follow(null).stream().chunk(row("x"));
        told("x");

        recorder.answerWith(CompletableFuture.completedFuture(null));
        time.pass(ManualTime.TIMEOUT.multipliedBy(5));
        time.passPause();
        ScriptedServer.Call again = server.call();
        assertThat(again.target()).doesNotContain("since");
        again.stream().chunk(row("x"));
        await(recorder.when(calls -> calls.size() == 2));
    }

    @Test
    void aBatchThatIsDealtWithAfterItWasGivenUpChangesNothing() {
        CompletableFuture<Void> late = new CompletableFuture<>();
        recorder.answerWith(late);
        follow(null).stream().chunk(row("x"));
        told("x");

        recorder.answerWith(CompletableFuture.completedFuture(null));
        time.pass(ManualTime.TIMEOUT.multipliedBy(5));
        time.awaitPause();
        late.complete(null);
        time.passPause();
        server.call().stream().chunk(row("x") + row("y"));
        assertThat(told("y")).hasSizeGreaterThanOrEqualTo(2);
    }
}
