package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Nodes that share only replicated documents. */
class ReplicatedTest {
    private final TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 2, "a", "b", "c");

    @AfterEach
    void close() {
        bridges.close();
    }

    @Test
    void stepsRunInOrderEachOnItsTarget() {
        bridges.put("a", """
                {'_id': 'user', 'creator': 'a', 'job': [
                  {'target': 'a', 'do': 'collect'},
                  {'target': 'b', 'do': 'store'},
                  {'target': 'a', 'do': 'confirm'}]}""");
        bridges.advance(5);

        assertThat(bridges.done).containsExactly("a collect", "b store", "a confirm");
        ObjectNode document = bridges.read("b", "user");
        assertThat(document.path("job_status").asString()).isEqualTo("success");
        assertThat(document.path("step").asInt()).isEqualTo(3);
    }

    @Test
    void aStepForAnotherIsClaimedWonAndRun() {
        bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'sleep 5'}]}");
        bridges.advance(20);

        assertThat(bridges.done).hasSize(1);
        assertThat(bridges.read("a", "x").path("job_status").asString()).isEqualTo("success");
    }

    @Test
    void allNodesDoAStepThatIsForAll() {
        bridges.put("b", """
                {'_id': 'update', 'creator': 'b', 'job': [
                  {'target': 'all', 'do': 'install'},
                  {'target': 'any', 'do': 'report'}]}""");
        bridges.advance(20);

        assertThat(bridges.done.subList(0, 3)).containsExactlyInAnyOrder("a install", "b install", "c install");
        assertThat(bridges.done).hasSize(4);
        assertThat(bridges.read("b", "update").path("job_status").asString()).isEqualTo("success");
    }

    @Test
    void manyJobsAreSharedOut() {
        for (int i = 0; i < 12; i++) {
            bridges.put(
                    "a",
                    "{'_id': 'x" + i + "', 'creator': 'a', 'job': [{'target': 'any', 'do': 'sleep 5'},"
                            + "{'target': 'any', 'do': 'sleep 5'}, {'target': 'any', 'do': 'sleep 5'}]}");
        }
        bridges.advance(50);

        for (int i = 0; i < 12; i++) {
            assertThat(bridges.read("a", "x" + i).path("job_status").asString()).isEqualTo("success");
        }
        assertThat(bridges.done).hasSize(36);
    }

    @Test
    void aStepThatWaitsForItsNextTryKeepsNoWorker() {
        for (String id : new String[] {"x", "y"}) {
            bridges.put(
                    "a",
                    "{'_id': '" + id + "', 'creator': 'a', 'job': [{'target': 'a', 'do': 'fail',"
                            + " 'retry_strategy': {'max_retries': 1, 'sleep': 60}}]}");
        }
        bridges.put(
                "a",
                "{'_id': 'z', 'creator': 'a', 'job': [{'target': ['a'], 'do': 'work'}, {'target': 'any', 'do':"
                        + " 'more'}]}");
        bridges.advance(5);

        assertThat(bridges.read("a", "z").path("job_status").asString()).isEqualTo("success");
        bridges.advance(90);
        assertThat(bridges.read("a", "x").path("job_status").asString()).isEqualTo("failed");
    }

    @Test
    void whatANodeCannotTakeBecauseOneOfItsOwnIsDueIsTakenByAnother() {
        try (TestBridges single = TestBridges.replicated(Duration.ofMinutes(1), 1, "a", "b", "c")) {
            single.put("b", """
                    {'_id': 'again', 'creator': 'b', 'job': [
                      {'target': 'b', 'do': 'fail', 'retry_strategy': {'max_retries': 1, 'sleep': 5},
                       'alt_do': 'sleep 20'}]}""");
            single.put("b", "{'_id': 'long', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 8'}]}");
            single.put("c", "{'_id': 'longer', 'creator': 'c', 'job': [{'target': 'c', 'do': 'sleep 9'}]}");
            single.put("a", "{'_id': 'free', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'work'}]}");
            single.advance(10);

            assertThat(single.done)
                    .containsExactly("b fail", "b sleep 8", "c sleep 9", "b fail", "b sleep 20", "c work");
        }
    }

    @Test
    void aClaimThatItsNodeLetsGoTakesThreeMoreRevisions() {
        try (TestBridges single = TestBridges.replicated(Duration.ofMinutes(1), 1, "a", "b", "c")) {
            single.advance(1);
            single.process("a").pause(Duration.ofSeconds(4)); // so that it names b when b has no free worker
            single.process("c").pause(Duration.ofSeconds(4));
            single.put("b", "{'_id': 'free', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'work'}]}");
            single.put("b", "{'_id': 'own', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 20'}]}");
            single.advance(15);

            assertThat(single.done).containsExactly("b sleep 20", "c work");
            assertThat(single.read("a", "free").at("/job/0/withdrawn").asInt()).isEqualTo(1);
            assertThat(single.revisions("a", "free")).isEqualTo(1 + 4 + 3);
        }
    }

    @Test
    void aRunThatIsStoppedBecauseItsJobIsCancelledSaysSo() {
        bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 100'}]}");
        bridges.advance(5);
        bridges.put(
                "c",
                bridges.read("c", "x").deepCopy().put("job_status", "cancelled").toString());
        bridges.advance(10);

        ObjectNode document = bridges.read("a", "x");
        assertThat(document.path("job_status").asString()).isEqualTo("cancelled");
        assertThat(document.at("/job/0/step_status").asString()).isEqualTo("failed");
        assertThat(document.at("/job/0/reason").asString()).startsWith("stopped: ");
    }

    @Test
    void aDocumentThatIsSpoiltASecondTimeSaysWhyAgain() {
        bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'nowhere', 'do': 'work'}]}");
        bridges.advance(2);
        ObjectNode spoilt = bridges.read("b", "x").deepCopy();
        spoilt.putNull("job_status").remove("reason");
        spoilt.put("job", "no steps");
        bridges.put("b", spoilt.toString());
        bridges.advance(5);

        for (String node : new String[] {"a", "b", "c"}) {
            assertThat(bridges.read(node, "x").path("job_status").asString()).isEqualTo("failed");
            assertThat(bridges.read(node, "x").path("reason").asString()).contains("job");
        }
    }

    @Test
    void aWinnerWhoHearsOfItTooLateDoesNotBeginButClaimsAnew() {
        bridges.process("a")
                .pause(Duration.ofSeconds(40)); // more than half of the claim timeout, in which no winner is named
        bridges.put(
                "a",
                "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b'], 'do': 'work'}, {'target': ['b', 'c'], 'do':"
                        + " 'late'}]}");
        bridges.advance(35);
        assertThat(bridges.read("b", "x").path("job").path(1).path("claimed_by").asString())
                .isIn("b", "c");
        assertThat(bridges.done).containsExactly("b work");

        bridges.advance(20);

        ObjectNode step = (ObjectNode) bridges.read("a", "x").path("job").path(1);
        assertThat(step.path("withdrawn").asInt()).isEqualTo(1);
        assertThat(step.path("step_status").asString()).isEqualTo("finished");
        assertThat(bridges.done).hasSize(2);
    }

    @Test
    void aWinnerWhoIsCutOffLosesTheStepToAnotherWhenItsTimeIsUpAndNotBefore() {
        bridges.put("a", "{'_id': 'first', 'creator': 'a', 'job': [{'target': 'all', 'do': 'hello'}]}");
        bridges.advance(5);
        bridges.process("b").pause(Duration.ofSeconds(200));
        bridges.put(
                "a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'work', 'claimed_by': 'b'}]}");
        bridges.advance(55);
        assertThat(bridges.read("a", "x").path("job").path(0).path("winner").asString())
                .isEqualTo("b");
        assertThat(bridges.done).doesNotContain("c work");

        bridges.advance(10);
        assertThat(bridges.done).contains("c work");

        bridges.advance(200);
        assertThat(bridges.done).doesNotContain("b work");
        assertThat(bridges.read("b", "x").path("job_status").asString()).isEqualTo("success");
    }

    @Test
    void whoHasClaimedAStepAndIsKilledDoesNotTakeItFromTheOneWhoWasNamed() {
        bridges.process("b").pause(Duration.ofSeconds(3)); // both claim the step at once, and b's claim arrives late
        bridges.process("c").pause(Duration.ofSeconds(3));
        bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'sleep 90'}]}");
        bridges.cut("b");
        advanceUntilDone("c sleep 90");
        assertThat(bridges.read("b", "x").at("/job/0/claimed_by").asString()).isEqualTo("b");

        bridges.cut("c");
        bridges.kill("b");
        bridges.start("b");
        bridges.advance(20);

        assertThat(bridges.done).containsExactly("c sleep 90");
        bridges.couch.join();
        bridges.advance(100);
        assertThat(bridges.done).containsExactly("c sleep 90");
        assertThat(bridges.read("b", "x").path("job_status").asString()).isEqualTo("success");
    }

    private void advanceUntilDone(String what) {
        while (!bridges.done.contains(what)) {
            bridges.simulation.advance(Duration.ofMillis(1));
        }
    }

    @Test
    void aWinnerWhomTheCreatorDoesNotRememberLosesTheStepToo() {
        bridges.kill("b");
        bridges.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [
                  {'target': ['b', 'c'], 'do': 'work', 'claimed_by': 'b', 'winner': 'b'}]}""");
        bridges.advance(55);
        assertThat(bridges.done).isEmpty();

        bridges.advance(15);
        assertThat(bridges.done).containsExactly("c work");
    }
}
