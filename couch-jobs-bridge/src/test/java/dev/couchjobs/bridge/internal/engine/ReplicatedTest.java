package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Nodes that have nothing in common but replication. */
class ReplicatedTest {
    private final World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b", "c");

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void stepsRunInOrderEachOnItsTarget() {
        world.put("a", """
                {'_id': 'user', 'creator': 'a', 'job': [
                  {'target': 'a', 'do': 'collect'},
                  {'target': 'b', 'do': 'store'},
                  {'target': 'a', 'do': 'confirm'}]}""");
        world.advance(5);

        assertThat(world.done).containsExactly("a collect", "b store", "a confirm");
        ObjectNode document = world.read("b", "user");
        assertThat(document.path("job_status").asString()).isEqualTo("success");
        assertThat(document.path("step").asInt()).isEqualTo(3);
    }

    @Test
    void aStepForAnotherIsClaimedWonAndRun() {
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'sleep 5'}]}");
        world.advance(20);

        assertThat(world.done).hasSize(1);
        assertThat(world.read("a", "x").path("job_status").asString()).isEqualTo("success");
    }

    @Test
    void allNodesDoAStepThatIsForAll() {
        world.put("b", """
                {'_id': 'update', 'creator': 'b', 'job': [
                  {'target': 'all', 'do': 'install'},
                  {'target': 'any', 'do': 'report'}]}""");
        world.advance(20);

        assertThat(world.done.subList(0, 3)).containsExactlyInAnyOrder("a install", "b install", "c install");
        assertThat(world.done).hasSize(4);
        assertThat(world.read("b", "update").path("job_status").asString()).isEqualTo("success");
    }

    @Test
    void manyJobsAreSharedOut() {
        for (int i = 0; i < 12; i++) {
            world.put(
                    "a",
                    "{'_id': 'x" + i + "', 'creator': 'a', 'job': [{'target': 'any', 'do': 'sleep 5'},"
                            + "{'target': 'any', 'do': 'sleep 5'}, {'target': 'any', 'do': 'sleep 5'}]}");
        }
        world.advance(50);

        for (int i = 0; i < 12; i++) {
            assertThat(world.read("a", "x" + i).path("job_status").asString()).isEqualTo("success");
        }
        assertThat(world.done).hasSize(36);
    }

    @Test
    void aStepThatWaitsForItsNextTryKeepsNoWorker() {
        for (String id : new String[] {"x", "y"}) {
            world.put(
                    "a",
                    "{'_id': '" + id + "', 'creator': 'a', 'job': [{'target': 'a', 'do': 'fail',"
                            + " 'retry_strategy': {'max_retries': 1, 'sleep': 60}}]}");
        }
        world.put(
                "a",
                "{'_id': 'z', 'creator': 'a', 'job': [{'target': ['a'], 'do': 'work'}, {'target': 'any', 'do':"
                        + " 'more'}]}");
        world.advance(5);

        assertThat(world.read("a", "z").path("job_status").asString()).isEqualTo("success");
        world.advance(90);
        assertThat(world.read("a", "x").path("job_status").asString()).isEqualTo("failed");
    }

    @Test
    void whatANodeCannotTakeBecauseOneOfItsOwnIsDueIsTakenByAnother() {
        try (World single = World.replicated(Duration.ofMinutes(1), 1, "a", "b", "c")) {
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
        try (World single = World.replicated(Duration.ofMinutes(1), 1, "a", "b", "c")) {
            single.advance(1);
            single.process("a").pause(Duration.ofSeconds(4)); // so that it names b when b has no worker any more
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
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 100'}]}");
        world.advance(5);
        world.put(
                "c",
                world.read("c", "x").deepCopy().put("job_status", "cancelled").toString());
        world.advance(10);

        ObjectNode document = world.read("a", "x");
        assertThat(document.path("job_status").asString()).isEqualTo("cancelled");
        assertThat(document.at("/job/0/step_status").asString()).isEqualTo("failed");
        assertThat(document.at("/job/0/reason").asString()).startsWith("stopped: ");
    }

    @Test
    void aDocumentThatIsSpoiltASecondTimeSaysWhyAgain() {
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'nowhere', 'do': 'work'}]}");
        world.advance(2);
        ObjectNode spoilt = world.read("b", "x").deepCopy();
        spoilt.putNull("job_status").remove("reason");
        spoilt.put("job", "no steps");
        world.put("b", spoilt.toString());
        world.advance(5);

        for (String node : new String[] {"a", "b", "c"}) {
            assertThat(world.read(node, "x").path("job_status").asString()).isEqualTo("failed");
            assertThat(world.read(node, "x").path("reason").asString()).contains("job");
        }
    }

    @Test
    void aWinnerWhoHearsOfItTooLateDoesNotBeginButClaimsAnew() {
        world.process("a")
                .pause(Duration.ofSeconds(40)); // more than half of the claim timeout, in which nobody is named
        world.put(
                "a",
                "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b'], 'do': 'work'}, {'target': ['b', 'c'], 'do':"
                        + " 'late'}]}");
        world.advance(35);
        assertThat(world.read("b", "x").path("job").path(1).path("claimed_by").asString())
                .isIn("b", "c");
        assertThat(world.done).containsExactly("b work");

        world.advance(20);

        ObjectNode step = (ObjectNode) world.read("a", "x").path("job").path(1);
        assertThat(step.path("withdrawn").asInt()).isEqualTo(1);
        assertThat(step.path("step_status").asString()).isEqualTo("finished");
        assertThat(world.done).hasSize(2);
    }

    @Test
    void aWinnerWhoIsCutOffLosesTheStepToAnotherWhenItsTimeIsUpAndNotBefore() {
        world.put("a", "{'_id': 'first', 'creator': 'a', 'job': [{'target': 'all', 'do': 'hello'}]}");
        world.advance(5);
        world.process("b").pause(Duration.ofSeconds(200));
        world.put(
                "a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'work', 'claimed_by': 'b'}]}");
        world.advance(55);
        assertThat(world.read("a", "x").path("job").path(0).path("winner").asString())
                .isEqualTo("b");
        assertThat(world.done).doesNotContain("c work");

        world.advance(10);
        assertThat(world.done).contains("c work");

        world.advance(200);
        assertThat(world.done).doesNotContain("b work");
        assertThat(world.read("b", "x").path("job_status").asString()).isEqualTo("success");
    }

    @Test
    void whoHasClaimedAStepAndIsKilledDoesNotTakeItFromTheOneWhoWasNamed() {
        world.process("b").pause(Duration.ofSeconds(3)); // so that both claim the step at once, and b is not heard
        world.process("c").pause(Duration.ofSeconds(3));
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'sleep 90'}]}");
        world.cut("b");
        advanceUntilDone("c sleep 90");
        assertThat(world.read("b", "x").at("/job/0/claimed_by").asString()).isEqualTo("b");

        world.cut("c");
        world.kill("b");
        world.start("b");
        world.advance(20);

        assertThat(world.done).containsExactly("c sleep 90");
        world.couch.join();
        world.advance(100);
        assertThat(world.done).containsExactly("c sleep 90");
        assertThat(world.read("b", "x").path("job_status").asString()).isEqualTo("success");
    }

    private void advanceUntilDone(String what) {
        while (!world.done.contains(what)) {
            world.simulation.advance(Duration.ofMillis(1));
        }
    }

    @Test
    void aWinnerWhomTheCreatorDoesNotRememberLosesTheStepToo() {
        world.kill("b");
        world.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [
                  {'target': ['b', 'c'], 'do': 'work', 'claimed_by': 'b', 'winner': 'b'}]}""");
        world.advance(55);
        assertThat(world.done).isEmpty();

        world.advance(15);
        assertThat(world.done).containsExactly("c work");
    }
}
