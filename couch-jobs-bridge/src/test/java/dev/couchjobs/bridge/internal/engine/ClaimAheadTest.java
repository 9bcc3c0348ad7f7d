package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A node that runs a step, and has not made the document, asks for the next meanwhile. */
class ClaimAheadTest {
    private static final Duration CLAIM_TIMEOUT = Duration.ofMinutes(1);

    private final World world = World.replicated(CLAIM_TIMEOUT, 2, "a", "b", "c");

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void theNodeThatRunsAStepIsNamedForTheNextByItsEnd() {
        put("b", "sleep 5", "['b', 'c']", "work");
        world.advance(2);

        assertThat(step(0).path("step_status").asString()).isEqualTo("running");
        assertThat(step(1).path("claimed_by").asString()).isEqualTo("b");
        assertThat(step(1).path("winner").asString()).isEqualTo("b");
        assertThat(step(1).path("step_status").isString()).isFalse();
        world.advance(3);
        assertThat(world.done).containsExactly("b sleep 5", "b work");
    }

    @Test
    void stepsThatAreShortTakeThreeRevisionsEach() {
        put("b", "sleep 5", "['b', 'c']", "sleep 5", "['b', 'c']", "sleep 5", "['b', 'c']", "sleep 5");
        world.advance(30);

        assertSucceeds(4);
        assertThat(world.revisions("a", "x")).isLessThanOrEqualTo(1 + 2 + 3 * 3);
    }

    @Test
    void stepsThatAreLongerThanHalfTheClaimTimeoutTakeFourRevisionsEachAndLoseNoTime() {
        put("b", "sleep 40", "['b', 'c']", "sleep 40", "['b', 'c']", "sleep 40", "['b', 'c']", "sleep 40");
        world.advance(164);

        assertSucceeds(4);
        assertThat(world.revisions("a", "x")).isLessThanOrEqualTo(1 + 2 + 3 * 4);
    }

    @Test
    void stepsThatAreLongerThanTheClaimTimeoutTakeFourRevisionsEachAndLoseNoTime() {
        put("b", "sleep 100", "['b', 'c']", "sleep 100", "['b', 'c']", "sleep 100");
        world.advance(304);

        assertSucceeds(3);
        assertThat(world.revisions("a", "x")).isLessThanOrEqualTo(1 + 2 + 2 * 4);
        assertThat(step(1).path("withdrawn").asInt())
                .isEqualTo(1); // by its own node, in the revision that ends the step before
    }

    @Test
    void nobodyAsksForWhatFollowsAStepForAll() {
        put("all", "sleep 5", "['b', 'c']", "work");
        world.advance(3);
        assertThat(step(1).path("claimed_by").isString()).isFalse();

        world.advance(10);
        assertThat(world.done).hasSize(4);
    }

    @Test
    void aNodeThatIsNotYetNamedWhenTheStepEndsKeepsItsWorkerUntilItIs() {
        world.process("a").pause(Duration.ofSeconds(15));
        put("b", "sleep 5", "['b', 'c']", "work");
        world.advance(8);
        assertThat(world.done).containsExactly("b sleep 5");
        assertThat(world.seatRows("b")).isEqualTo(1);

        world.advance(8);
        assertSucceeds(2);
        assertThat(step(1).path("withdrawn").asInt(0)).isZero();
    }

    @Test
    void aCreatorThatIsKilledNamesWhenItIsBack() {
        put("b", "sleep 20", "['b', 'c']", "work");
        world.kill("a");
        world.advance(10);
        world.start("a");
        world.advance(12);

        assertSucceeds(2);
        assertThat(world.done).containsExactly("b sleep 20", "b work");
    }

    @Test
    void aNodeThatIsKilledWhileItRunsAStepAsksAnewForTheNext() {
        put("b", "sleep 20", "['b', 'c']", "work");
        world.advance(2);
        assertThat(step(1).path("winner").asString()).isEqualTo("b");
        world.kill("b");
        world.start("b");
        world.advance(60);

        assertSucceeds(2);
        assertThat(step(1).path("withdrawn").asInt()).isEqualTo(1);
        assertThat(world.done).startsWith("b sleep 20", "b sleep 20").hasSize(3);
    }

    @Test
    void aNodeThatIsCutOffGoesOnWithTheStepForWhichItIsNamed() {
        put("b", "sleep 5", "['b', 'c']", "sleep 5", "['b', 'c']", "work");
        world.advance(2);
        world.cut("b");
        world.advance(50);
        assertThat(world.done).containsExactly("b sleep 5", "b sleep 5"); // and is not named for the third
        assertThat(step(1).path("step_status").isString()).isFalse();

        world.couch.join();
        world.advance(10);
        assertSucceeds(3);
        assertThat(world.done).hasSize(3);
    }

    @Test
    void theCreatorIsPatientWithWhomItHasNamedFromTheEndOfTheStepBeforeOn() {
        world.kill("b");
        world.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [
                  {'target': 'b', 'do': 'long', 'step_status': 'running', 'executioner': 'Node: b, worker: 1'},
                  {'target': ['b', 'c'], 'do': 'work', 'claimed_by': 'b'}]}""");
        world.advance(70);
        assertThat(step(1).path("winner").asString()).isEqualTo("b");
        ObjectNode ended = world.read("a", "x").deepCopy();
        ((ObjectNode) ended.at("/job/0")).put("step_status", "finished"); // as b has written last
        world.put("a", ended.toString());

        world.advance(58);
        assertThat(world.done).isEmpty();
        world.advance(10);
        assertThat(world.done).containsExactly("c work");
    }

    @Test
    void aNodeWhoseWorkersAreTakenMeanwhileLeavesTheNextStepToOthers() {
        put("b", "sleep 20", "['b', 'c']", "work");
        for (String other : List.of("y", "z")) {
            world.put("b", "{'_id': '" + other + "', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 200'}]}");
        }
        world.advance(20);

        assertThat(world.done).contains("c work");
        assertThat(step(1).path("withdrawn").asInt()).isEqualTo(1);
    }

    @Test
    void aNodeForWhoseWorkersOthersWaitDoesNotAskForMore() {
        for (String other : List.of("w", "y", "z")) {
            world.put("b", "{'_id': '" + other + "', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 10'}]}");
        }
        put("b", "sleep 5", "['b', 'c']", "work");
        world.put("b", "{'_id': 'last', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 20'}]}");
        advanceUntil(() -> step(0).path("step_status").isString());
        world.advance(1);

        assertThat(step(1).path("claimed_by").isString()).isFalse();
        world.advance(10);
        assertThat(world.done).contains("c work");
        assertThat(step(1).path("withdrawn").asInt(0)).isZero();
    }

    @Test
    void aJobThatIsCancelledLeavesNothingBehindForTheNextStep() {
        put("b", "sleep 20", "['b', 'c']", "work");
        world.advance(2);
        world.put(
                "c",
                world.read("c", "x").deepCopy().put("job_status", "cancelled").toString());
        world.advance(2);

        assertNothingIsKept();
    }

    @Test
    void aJobThatFailsLeavesNothingBehindForTheNextStepButTheClaim() {
        put("b", "fail", "['b', 'c']", "work");
        world.advance(2);

        assertThat(world.read("a", "x").path("job_status").asString()).isEqualTo("failed");
        assertThat(step(1).path("claimed_by").asString()).isEqualTo("b");
        assertThat(world.done).containsExactly("b fail");
        assertNothingIsKept();
    }

    @Test
    void whoeverIsNamedBeginsTheNextStepOnceThoughTwoHaveRunThisOne() {
        put("a", "sleep 3", "['b', 'c']", "sleep 90", "['b', 'c']", "work");
        advanceUntil(() -> world.done.size() == 2);
        String first = world.done.get(1).substring(0, 1);
        world.cut(first);
        world.advance(75);
        assertThat(world.done).contains("b sleep 90", "c sleep 90"); // the creator has waited for long enough

        world.couch.join();
        world.advance(150);
        assertThat(world.done).hasSize(4);
        assertThat(world.read("a", "x").path("job_status").asString()).isEqualTo("success");
        assertNothingIsKept();
    }

    /** Puts a document that a has made, with a target and a command for each step, and lets it begin. */
    private void put(String... steps) {
        StringBuilder job = new StringBuilder("{'_id': 'x', 'creator': 'a', 'job': [");
        for (int i = 0; i < steps.length; i += 2) {
            String target = steps[i].startsWith("[") ? steps[i] : "'" + steps[i] + "'";
            job.append(i == 0 ? "" : ",").append("{'target': " + target + ", 'do': '" + steps[i + 1] + "'}");
        }
        world.put("a", job.append("]}").toString());
    }

    private void advanceUntil(BooleanSupplier isSo) {
        while (!isSo.getAsBoolean()) {
            world.simulation.advance(Duration.ofMillis(1));
        }
    }

    private JsonNode step(int index) {
        return world.read("a", "x").path("job").path(index);
    }

    private void assertSucceeds(int steps) {
        assertThat(world.read("a", "x").path("job_status").asString()).isEqualTo("success");
        assertThat(world.read("a", "x").path("step").asInt()).isEqualTo(steps);
        assertNothingIsKept();
    }

    private void assertNothingIsKept() {
        for (String node : List.of("a", "b", "c")) {
            assertThat(world.seatRows(node)).as(node).isZero();
        }
    }
}
