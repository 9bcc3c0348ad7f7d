package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.couch.ScriptedServer.Call;
import dev.couchjobs.bridge.testing.TestClient;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The checks of replications, and the reactions to their states. */
class ReplicationWatchTest {
    private static final Replication PULL = Replication.continuous(
            "pull", URI.create("http://a.example:5984/jobs"), URI.create("http://b.example:5984/jobs"));
    private static final String MISSING = "{\"error\":\"not_found\",\"reason\":\"missing\"}";

    private final ManualTime time = new ManualTime();
    private final ScriptedServer server = new ScriptedServer();
    private final Replications replications = new Replications(
            TestClient.settings(server.database())
                    .withTimeout(ManualTime.TIMEOUT)
                    .withPauses(Duration.ofMillis(100), Duration.ofSeconds(10))
                    .withEnvironment(time.environment()),
            new LoginThrottles("test"));
    private final RecordedLog log = new RecordedLog();
    private final ReplicationWatch watch = new ReplicationWatch("reg_a", replications, time.environment(), log);
    private boolean isPeerUp;

    @BeforeEach
    void begin() {
        watch.watch("reg_b", PULL, () -> CompletableFuture.completedFuture(isPeerUp));
    }

    @AfterEach
    void close() {
        watch.close();
        replications.close();
        server.close();
    }

    private Call look() {
        time.tick();
        Call call = server.call();
        assertThat(call.first()).startsWith("GET /_scheduler/docs/_replicator/pull ");
        return call;
    }

    private static void answer(Call look, String state, String info) {
        look.answer(200, "{\"doc_id\":\"pull\",\"state\":\"" + state + "\",\"info\":" + info + "}");
    }

    private static String error(String text) {
        return "{\"error\":\"" + text + "\"}";
    }

    /** The next check begins only when the one before has ended. */
    private void looksAndSees(String state, String info) {
        answer(look(), state, info);
        await(watch.looked());
    }

    private static void await(CompletableFuture<?> future) {
        future.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void aReplicationThatCrashesIsOneLinePerChange() {
        looksAndSees("running", "{\"docs_read\":1}");
        looksAndSees("crashing", error("db_not_found: no jobs"));
        looksAndSees("crashing", error("db_not_found: no jobs"));
        looksAndSees("pending", "null");
        looksAndSees("crashing", error("db_not_found: no jobs"));
        looksAndSees("crashing", "\"unauthorized\"");
        assertThat(watch.troubles())
                .containsExactly(
                        "the replication from reg_b is crashing: unauthorized. Documents of reg_b do not arrive"
                                + " meanwhile");
        looksAndSees("running", "null");
        assertThat(watch.troubles()).isEmpty();
        looksAndSees("running", "null");

        assertThat(log.lines()).hasSize(3);
        assertThat(log.lines().get(0))
                .startsWith("WARN Node reg_a: the replication from reg_b is crashing: db_not_found: no jobs. Documents"
                        + " of reg_b");
        assertThat(log.lines().get(1)).contains("is crashing: unauthorized");
        assertThat(log.lines().get(2)).isEqualTo("INFO Node reg_a: the replication from reg_b runs again");
    }

    @Test
    void oneThatCouchDbHasGivenUpIsMadeAnewButNotAllTheTime() {
        answer(look(), "failed", error("bad"));
        isMadeAnew();
        assertThat(log.lines())
                .hasSize(2)
                .last()
                .isEqualTo("INFO Node reg_a: the replication from reg_b was created again");

        answer(look(), "failed", error("bad")); // a minute later: the pause has ended, and the next is longer
        server.call().answer(404, MISSING);
        server.call().answer(404, MISSING);
        server.call().answer(201, "{\"ok\":true}");
        await(watch.looked());
        looksAndSees("failed", error("bad"));
        assertThat(server.hasCalls()).isFalse();
        assertThat(log.lines()).filteredOn(line -> line.startsWith("WARN")).hasSize(1);
    }

    @Test
    void aCrashingOneIsMadeAnewAsSoonAsItsPeerAnswersAgain() {
        looksAndSees("running", "null");
        for (int minute = 0; minute < 500; minute++) {
            looksAndSees("crashing", error("econnrefused"));
        }
        isPeerUp = true;
        answer(look(), "crashing", error("econnrefused"));
        isMadeAnew();
        looksAndSees("running", "null");

        assertThat(server.hasCalls()).isFalse();
        assertThat(log.lines()).hasSize(3).last().isEqualTo("INFO Node reg_a: the replication from reg_b runs again");
    }

    @Test
    void aCrashingOneWhosePeerAnswersIsLeftToCouchDbForAMinuteAndThenForLonger() {
        isPeerUp = true;
        looksAndSees("crashing", error("bad"));
        answer(look(), "crashing", error("bad"));
        isMadeAnew();
        answer(look(), "error", error("bad"));
        isMadeAnew();
        looksAndSees("crashing", error("bad"));
        answer(look(), "crashing", error("bad"));
        isMadeAnew();
        for (int minute = 1; minute < 4; minute++) {
            looksAndSees("crashing", error("bad"));
        }
        answer(look(), "crashing", error("bad"));
        isMadeAnew();
    }

    private void isMadeAnew() {
        server.call().answer(200, "{\"_id\":\"pull\",\"_rev\":\"1-a\"}");
        Call deleted = server.call();
        assertThat(deleted.first()).startsWith("DELETE /_replicator/pull?rev=1-a ");
        deleted.answer(200, "{\"ok\":true}");
        server.call().answer(404, MISSING);
        Call made = server.call();
        assertThat(made.first()).startsWith("PUT /_replicator/pull ");
        made.answer(201, "{\"ok\":true}");
        await(watch.looked());
    }

    @Test
    void aReasonOfSeveralLinesIsToldInOne() {
        looksAndSees("crashing", error("{replication_auth_error,\\n    {session_request_unauthorized}}"));
        assertThat(watch.troubles())
                .singleElement()
                .asString()
                .contains("is crashing: {replication_auth_error, {session_request_unauthorized}}. Documents");
    }

    @Test
    void aServerThatDoesNotSayHowReplicationsAreIsAskedInSilence() {
        look().answer(404, "{\"error\":\"not_found\",\"reason\":\"Database does not exist.\"}");
        await(watch.looked());
        look().answer(500, "{}");
        await(watch.looked());
        look().answer(403, "{\"error\":\"forbidden\",\"reason\":\"not you\"}");
        await(watch.looked());
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void theReplicationsOfANodeAreFoundByTheirNames() {
        var kept = replications.kept("couch-jobs-reg_a-from-");
        Call call = server.call();
        assertThat(call.target())
                .startsWith("/_replicator/_all_docs?include_docs=true&startkey=%22couch-jobs-reg_a-from-%22");
        call.answer(
                200,
                "{\"rows\":[{\"id\":\"x\",\"doc\":{\"_id\":\"x\",\"source\":{\"url\":\"http://a/jobs\"},"
                        + "\"target\":\"http://b/jobs\"}}]}");
        await(kept);
        assertThat(kept.join()).isEqualTo(List.of(new Replications.Kept("x", "http://a/jobs", "http://b/jobs")));
    }
}
