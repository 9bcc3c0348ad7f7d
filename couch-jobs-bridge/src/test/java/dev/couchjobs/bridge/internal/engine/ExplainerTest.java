package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The answers of a bridge why a document is not being worked on. */
class ExplainerTest {
    private static TestBridges replicated() {
        return TestBridges.replicated(Duration.ofMinutes(1), 1, "a", "b");
    }

    static Stream<TestBridges> bridgeses() {
        return Stream.of(TestBridges.shared(1, "a", "b"), replicated());
    }

    private static void put(TestBridges bridges, String id, String target, String command) {
        String job = """
                {'_id': '%s', 'creator': 'a', 'job': [
                  {'target': %s, 'do': '%s', 'retry_strategy': {'max_retries': 2, 'sleep': 600}}]}""";
        bridges.put("a", job.formatted(id, target, command));
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aStepWaitsForAFreeWorker(TestBridges bridges) {
        try (bridges) {
            put(bridges, "long", "'a'", "sleep 1000");
            put(bridges, "behind", "'a'", "good");
            bridges.advance(10);
            assertThat(bridges.why("a", "long")).startsWith("step 0, for a, runs on this node since 20");
            assertThat(bridges.why("a", "behind")).isEqualTo("step 0, for a, waits for a free worker: this node has 1");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aStepThatWasBegunWaitsForAFreeWorkerAfterARestart(TestBridges bridges) {
        try (bridges) {
            put(bridges, "begun", "'a'", "sleep 1000");
            put(bridges, "next", "'a'", "sleep 1001");
            bridges.advance(5);
            bridges.restart("a");
            bridges.advance(60);
            assertThat(bridges.done).containsExactly("a sleep 1000", "a sleep 1001");
            assertThat(bridges.why("a", "begun"))
                    .isEqualTo("step 0, for a, was begun on this node, and waits for a free worker to continue");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aStepWhoseTypeIsPausedSaysSo(TestBridges bridges) {
        try (bridges) {
            bridges.pauseSteps("a");
            put(bridges, "paused", "'a'", "good");
            bridges.advance(10);
            assertThat(bridges.why("a", "paused"))
                    .startsWith("step 0, for a, does not begin. Its type has been paused since 20")
                    .endsWith(": a disk is full");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aStepForAnyNodeWaitsForAFreeWorker(TestBridges bridges) {
        try (bridges) {
            put(bridges, "long", "'a'", "sleep 1000");
            put(bridges, "long too", "'b'", "sleep 1000");
            put(bridges, "behind", "'any'", "good");
            bridges.advance(10);
            assertThat(bridges.why("a", "behind"))
                    .isEqualTo("step 0, for any, waits for a free worker: this node has 1");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aStepWaitsForItsNextTry(TestBridges bridges) {
        try (bridges) {
            put(bridges, "again", "'a'", "fail");
            bridges.advance(10);
            assertThat(bridges.why("a", "again"))
                    .matches("step 0, for a, waits for its next try at \\S+Z; it has failed once");
            bridges.advance(600);
            assertThat(bridges.why("a", "again")).endsWith("; it has failed 2 times");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aJobHasEnded(TestBridges bridges) {
        try (bridges) {
            put(bridges, "done", "'a'", "good");
            put(bridges, "cancelled", "'a'", "sleep 1000");
            bridges.advance(10);
            bridges.put(
                    "a",
                    bridges.read("a", "cancelled")
                            .put("job_status", "cancelled")
                            .put("reason", "no more")
                            .toString());
            bridges.advance(10);
            assertThat(bridges.why("a", "done")).isEqualTo("the job has ended: all steps have succeeded");
            assertThat(bridges.why("a", "cancelled")).isEqualTo("the job was cancelled: no more");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aDocumentIsNoJobThatCanBeRun(TestBridges bridges) {
        try (bridges) {
            put(bridges, "wrong", "'nowhere'", "good");
            bridges.put("a", "{'_id': 'note', 'text': 'hello'}");
            bridges.put("a", "{'_id': 'order', 'type': 'order', 'job': [{'item': 1}]}");
            bridges.put("a", "{'_id': 'typed', 'type': 'job', 'job': [{'target': 'a', 'do': 'x'}], 'creator': 'a'}");
            bridges.advance(10);
            assertThat(bridges.why("a", "wrong")).startsWith("the job was refused: job[0].target: ");
            assertThat(bridges.why("a", "note"))
                    .isEqualTo("it is neither a job nor a work item, so the bridge leaves it alone");
            assertThat(bridges.why("a", "order"))
                    .isEqualTo("it is neither a job nor a work item, so the bridge leaves it alone: its type is not"
                            + " \"WorkItem\", and it has no step with target and do");
            assertThat(bridges.why("a", "typed")).isEqualTo("the job was refused: type: there is no such field");
            assertThat(bridges.why("a", "none")).isEqualTo("CouchDB has no document of this id");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aStepForAllNodesHasNotEndedOnSome(TestBridges bridges) {
        try (bridges) {
            bridges.kill("b");
            put(bridges, "x", "'all'", "good");
            bridges.advance(10);
            assertThat(bridges.why("a", "x")).isEqualTo("step 0, for all, has not ended yet on b");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aStepWaitsForAnotherNode(TestBridges bridges) {
        try (bridges) {
            put(bridges, "begun", "'b'", "sleep 1000");
            bridges.advance(10);
            bridges.kill("b");
            put(bridges, "open", "'b'", "good");
            bridges.advance(10);
            assertThat(bridges.why("a", "begun"))
                    .startsWith("step 0, for b, runs on b since ")
                    .endsWith("if b is down, the step waits for it. Ask the bridge of that node");
            assertThat(bridges.why("a", "open"))
                    .isEqualTo("step 0, for b, is not for this node. Ask the bridge of one of its target nodes");
        }
    }

    @Test
    void aClaimWaitsForTheCreator() {
        try (TestBridges bridges = replicated()) {
            bridges.advance(1);
            bridges.kill("a");
            put(bridges, "x", "'any'", "good");
            bridges.advance(10);
            assertThat(bridges.why("b", "x"))
                    .isEqualTo(
                            "step 0, for any, is claimed by b and waits until the bridge of a, where the document was"
                                    + " created, names it the winner");
        }
    }

    @Test
    void aStepWaitsForTheNodeThatItWasGivenTo() {
        try (TestBridges bridges = replicated()) {
            bridges.advance(1);
            bridges.kill("b");
            bridges.put("a", """
                    {'_id': 'x', 'creator': 'a', 'job': [
                      {'target': 'any', 'do': 'good', 'claimed_by': 'b', 'winner': 'b'}]}""");
            bridges.advance(10);
            assertThat(bridges.why("a", "x"))
                    .startsWith("step 0, for any, was given to b, which is not known to have begun");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aWorkItemWaits(TestBridges bridges) {
        try (bridges) {
            bridges.put("a", "{'_id': 'later', 'type': 'WorkItem', 'worker': 'email', 'date': '2126-02-01T00:00:00Z'}");
            bridges.put(
                    "a",
                    "{'_id': 'theirs', 'type': 'WorkItem', 'worker': 'email', 'claimed': true, 'claimed_by': 'jo'}");
            bridges.put("a", "{'_id': 'other', 'type': 'WorkItem', 'worker': 'scrape'}");
            bridges.put("a", "{'_id': 'wrong', 'type': 'WorkItem', 'worker': 7}");
            bridges.advance(10);
            assertThat(bridges.why("a", "later")).isEqualTo("the work item is due at 2126-02-01T00:00:00Z");
            assertThat(bridges.why("a", "theirs")).isEqualTo("the work item is claimed by jo");
            assertThat(bridges.why("a", "other"))
                    .isEqualTo("this node does not work on items of the kind scrape; its kinds are: [email]");
            assertThat(bridges.why("a", "wrong")).startsWith("it cannot be run: worker: ");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aDocumentHasNotComeInYet(TestBridges bridges) {
        try (bridges) {
            bridges.advance(1);
            bridges.isDiskFull = true;
            put(bridges, "x", "'a'", "good");
            bridges.isDiskFull = false;
            assertThat(bridges.why("a", "x")).startsWith("the bridge has not seen the document yet");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void whatIsStoredOfADocumentIsDamaged(TestBridges bridges) {
        try (bridges) {
            bridges.damageStore("a", "x");
            put(bridges, "x", "'a'", "good");
            bridges.advance(10);
            assertThat(bridges.why("a", "x"))
                    .startsWith("the entry of the document in the store is damaged, so the bridge leaves it alone");
            bridges.repairStore("a", "x");
            assertThat(bridges.why("a", "x"))
                    .startsWith("the bridge could not import the document, and its log contains the reason");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void couchDbRefusesWhatTheBridgeWrites(TestBridges bridges) {
        try (bridges) {
            bridges.at("a").validate(document -> Optional.of("not now").filter(why -> document.has("_rev")));
            put(bridges, "x", "'a'", "good");
            bridges.advance(10);
            assertThat(bridges.why("a", "x"))
                    .startsWith("the job has ended: all steps have succeeded. CouchDB refuses what the bridge writes")
                    .matches(".* writes it again at \\S+Z");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void couchDbDoesNotAnswer(TestBridges bridges) {
        try (bridges) {
            put(bridges, "long", "'a'", "sleep 1000");
            bridges.advance(10);
            bridges.server("a").stop();
            assertThat(bridges.why("a", "long"))
                    .startsWith(
                            "CouchDB does not answer. As far as the bridge knows, step 0, for a, runs on this node");
            assertThat(bridges.why("a", "none"))
                    .isEqualTo("CouchDB does not answer. The bridge has not seen the document yet");
        }
    }
}
