package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A node that runs a step of another node's document claims the next one meanwhile. */
class ClaimAheadTest {
    private static final Duration CLAIM_TIMEOUT = Duration.ofMinutes(1);

    private final TestBridges bridges = TestBridges.replicated(CLAIM_TIMEOUT, 2, "a", "b", "c");

    @AfterEach
    void close() {
        bridges.close();
    }

    @Test
    void theNodeThatRunsAStepIsNamedForTheNextByItsEnd() {
        put("b", "sleep 5", "['b', 'c']", "work");
        bridges.advance(2);

        assertThat(step(0).path("step_status").asString()).isEqualTo("running");
        assertThat(step(1).path("claimed_by").asString()).isEqualTo("b");
        assertThat(step(1).path("winner").asString()).isEqualTo("b");
        assertThat(step(1).path("step_status").isString()).isFalse();
        bridges.advance(3);
        assertThat(bridges.done).containsExactly("b sleep 5", "b work");
    }

    @Test
    void stepsThatAreShortTakeThreeRevisionsEach() {
        put("b", "sleep 5", "['b', 'c']", "sleep 5", "['b', 'c']", "sleep 5", "['b', 'c']", "sleep 5");
        bridges.advance(30);

        assertSucceeds(4);
        assertThat(bridges.revisions("a", "x")).isLessThanOrEqualTo(1 + 2 + 3 * 3);
    }

    @Test
    void stepsThatAreLongerThanHalfTheClaimTimeoutTakeFourRevisionsEachAndLoseNoTime() {
        put("b", "sleep 40", "['b', 'c']", "sleep 40", "['b', 'c']", "sleep 40", "['b', 'c']", "sleep 40");
        bridges.advance(164);

        assertSucceeds(4);
        assertThat(bridges.revisions("a", "x")).isLessThanOrEqualTo(1 + 2 + 3 * 4);
    }

    @Test
    void stepsThatAreLongerThanTheClaimTimeoutTakeFourRevisionsEachAndLoseNoTime() {
        put("b", "sleep 100", "['b', 'c']", "sleep 100", "['b', 'c']", "sleep 100");
        bridges.advance(304);

        assertSucceeds(3);
        assertThat(bridges.revisions("a", "x")).isLessThanOrEqualTo(1 + 2 + 2 * 4);
        assertThat(step(1).path("withdrawn").asInt())
                .isEqualTo(1); // by its own node, in the revision that ends the step before
    }

    @Test
    void nobodyAsksForWhatFollowsAStepForAll() {
        put("all", "sleep 5", "['b', 'c']", "work");
        bridges.advance(3);
        assertThat(step(1).path("claimed_by").isString()).isFalse();

        bridges.advance(10);
        assertThat(bridges.done).hasSize(4);
    }

    @Test
    void aNodeThatIsNotYetNamedWhenTheStepEndsKeepsItsWorkerUntilItIs() {
        bridges.process("a").pause(Duration.ofSeconds(15));
        put("b", "sleep 5", "['b', 'c']", "work");
        bridges.advance(8);
        assertThat(bridges.done).containsExactly("b sleep 5");
        assertThat(bridges.slotRows("b")).isEqualTo(1);

        bridges.advance(8);
        assertSucceeds(2);
        assertThat(step(1).path("withdrawn").asInt(0)).isZero();
    }

    @Test
    void aCreatorThatIsKilledNamesWhenItIsBack() {
        put("b", "sleep 20", "['b', 'c']", "work");
        bridges.kill("a");
        bridges.advance(10);
        bridges.start("a");
        bridges.advance(12);

        assertSucceeds(2);
        assertThat(bridges.done).containsExactly("b sleep 20", "b work");
    }

    @Test
    void aNodeThatIsKilledWhileItRunsAStepAsksAnewForTheNext() {
        put("b", "sleep 20", "['b', 'c']", "work");
        bridges.advance(2);
        assertThat(step(1).path("winner").asString()).isEqualTo("b");
        bridges.kill("b");
        bridges.start("b");
        bridges.advance(60);

        assertSucceeds(2);
        assertThat(step(1).path("withdrawn").asInt()).isEqualTo(1);
        assertThat(bridges.done).startsWith("b sleep 20", "b sleep 20").hasSize(3);
    }

    @Test
    void aNodeThatIsCutOffGoesOnWithTheStepForWhichItIsNamed() {
        put("b", "sleep 5", "['b', 'c']", "sleep 5", "['b', 'c']", "work");
        bridges.advance(2);
        bridges.cut("b");
        bridges.advance(50);
        assertThat(bridges.done).containsExactly("b sleep 5", "b sleep 5"); // and does not win the third
        assertThat(step(1).path("step_status").isString()).isFalse();

        bridges.couch.join();
        bridges.advance(10);
        assertSucceeds(3);
        assertThat(bridges.done).hasSize(3);
    }

    @Test
    void theCreatorIsPatientWithWhomItHasNamedFromTheEndOfTheStepBeforeOn() {
        bridges.kill("b");
        bridges.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [
                  {'target': 'b', 'do': 'long', 'step_status': 'running', 'executioner': 'Node: b, worker: 1'},
                  {'target': ['b', 'c'], 'do': 'work', 'claimed_by': 'b'}]}""");
        bridges.advance(70);
        assertThat(step(1).path("winner").asString()).isEqualTo("b");
        ObjectNode ended = bridges.read("a", "x").deepCopy();
        ((ObjectNode) ended.at("/job/0")).put("step_status", "finished"); // b has written last
        bridges.put("a", ended.toString());

        bridges.advance(58);
        assertThat(bridges.done).isEmpty();
        bridges.advance(10);
        assertThat(bridges.done).containsExactly("c work");
    }

    @Test
    void aNodeWhoseWorkersAreTakenMeanwhileLeavesTheNextStepToOthers() {
        put("b", "sleep 20", "['b', 'c']", "work");
        for (String other : List.of("y", "z")) {
            bridges.put("b", "{'_id': '" + other + "', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 200'}]}");
        }
        bridges.advance(20);

        assertThat(bridges.done).contains("c work");
        assertThat(step(1).path("withdrawn").asInt()).isEqualTo(1);
    }

    @Test
    void aNodeForWhoseWorkersOthersWaitDoesNotAskForMore() {
        for (String other : List.of("w", "y", "z")) {
            bridges.put("b", "{'_id': '" + other + "', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 10'}]}");
        }
        put("b", "sleep 5", "['b', 'c']", "work");
        bridges.put("b", "{'_id': 'last', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 20'}]}");
        advanceUntil(() -> step(0).path("step_status").isString());
        bridges.advance(1);

        assertThat(step(1).path("claimed_by").isString()).isFalse();
        bridges.advance(10);
        assertThat(bridges.done).contains("c work");
        assertThat(step(1).path("withdrawn").asInt(0)).isZero();
    }

    @Test
    void aJobThatIsCancelledLeavesNothingBehindForTheNextStep() {
        put("b", "sleep 20", "['b', 'c']", "work");
        bridges.advance(2);
        bridges.put(
                "c",
                bridges.read("c", "x").deepCopy().put("job_status", "cancelled").toString());
        bridges.advance(2);

        assertNothingIsKept();
    }

    /** Each way in which a job ends while a node has claimed its next step. */
    @ParameterizedTest
    @ValueSource(strings = {"step fails", "cancelled", "failed", "plan changed", "unreadable"})
    void aJobThatEndsKeepsNoClaimOnAStepThatHasNotBegun(String end) {
        boolean fails = end.equals("step fails");
        put("b", fails ? "fail" : "sleep 20", "['b', 'c']", "work");
        bridges.advance(2);
        ObjectNode document = bridges.read("c", "x").deepCopy();
        if (!fails) {
            assertThat(step(1).path("winner").asString()).isEqualTo("b");
            bridges.put("c", edited(document, end).toString());
        }
        bridges.advance(40);

        for (String node : List.of("a", "b", "c")) {
            ObjectNode ended = bridges.read(node, "x");
            assertThat(ended.path("job_status").asString()).isEqualTo(end.equals("cancelled") ? end : "failed");
            for (String field : List.of("claimed_by", "winner")) {
                assertThat(ended.at("/job/1").path(field).isString())
                        .as(node + " " + field)
                        .isFalse();
            }
        }
        assertThat(bridges.done).containsExactly(fails ? "b fail" : "b sleep 20");
        assertNothingIsKept();
    }

    private static ObjectNode edited(ObjectNode document, String end) {
        switch (end) {
            case "plan changed" -> ((ObjectNode) document.at("/job/1")).put("do", "other");
            case "unreadable" -> document.put("step", "one");
            default -> document.put("job_status", end);
        }
        return document;
    }

    @Test
    void whoeverIsNamedBeginsTheNextStepOnceThoughTwoHaveRunThisOne() {
        put("a", "sleep 3", "['b', 'c']", "sleep 90", "['b', 'c']", "work");
        advanceUntil(() -> bridges.done.size() == 2);
        String first = bridges.done.get(1).substring(0, 1);
        bridges.cut(first);
        bridges.advance(75);
        assertThat(bridges.done).contains("b sleep 90", "c sleep 90"); // the creator has waited for the claim timeout

        bridges.couch.join();
        bridges.advance(150);
        assertThat(bridges.done).hasSize(4);
        assertThat(bridges.read("a", "x").path("job_status").asString()).isEqualTo("success");
        assertNothingIsKept();
    }

    /** Creates a document on node a, with a target and a command for each step, and lets it begin. */
    private void put(String... steps) {
        StringBuilder job = new StringBuilder("{'_id': 'x', 'creator': 'a', 'job': [");
        for (int i = 0; i < steps.length; i += 2) {
            String target = steps[i].startsWith("[") ? steps[i] : "'" + steps[i] + "'";
            job.append(i == 0 ? "" : ",").append("{'target': " + target + ", 'do': '" + steps[i + 1] + "'}");
        }
        bridges.put("a", job.append("]}").toString());
    }

    private void advanceUntil(BooleanSupplier isSo) {
        while (!isSo.getAsBoolean()) {
            bridges.simulation.advance(Duration.ofMillis(1));
        }
    }

    private JsonNode step(int index) {
        return bridges.read("a", "x").path("job").path(index);
    }

    private void assertSucceeds(int steps) {
        assertThat(bridges.read("a", "x").path("job_status").asString()).isEqualTo("success");
        assertThat(bridges.read("a", "x").path("step").asInt()).isEqualTo(steps);
        assertNothingIsKept();
    }

    private void assertNothingIsKept() {
        for (String node : List.of("a", "b", "c")) {
            assertThat(bridges.slotRows(node)).as(node).isZero();
        }
    }
}
