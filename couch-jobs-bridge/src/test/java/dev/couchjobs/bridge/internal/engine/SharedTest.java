package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Nodes that share one database. */
class SharedTest {
    private final TestBridges bridges = TestBridges.shared(2, "a", "b", "c");

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
        ObjectNode document = bridges.read("a", "user");
        assertThat(document.path("job_status").asString()).isEqualTo("success");
        assertThat(document.path("step").asInt()).isEqualTo(3);
    }

    @Test
    void allNodesDoAStepThatIsForAll() {
        bridges.put("b", """
                {'_id': 'update', 'creator': 'b', 'job': [
                  {'target': 'all', 'do': 'install'},
                  {'target': 'any', 'do': 'report'}]}""");
        bridges.advance(5);

        assertThat(bridges.done.subList(0, 3)).containsExactlyInAnyOrder("a install", "b install", "c install");
        assertThat(bridges.done).hasSize(4);
        assertThat(bridges.read("b", "update").path("job_status").asString()).isEqualTo("success");
    }

    @Test
    void aFailureForGoodIsNotTriedAgainWhateverTheStrategySays() {
        bridges.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [
                  {'target': 'a', 'do': 'fail for good', 'retry_strategy': {'max_retries': 3}, 'alt_do': 'instead'},
                  {'target': 'a', 'do': 'fail for good', 'retry_strategy': {'max_retries': 3}}]}""");
        bridges.advance(30);

        assertThat(bridges.done).containsExactly("a fail for good", "a instead", "a fail for good");
        assertThat(bridges.read("a", "x").path("reason").asString())
                .isEqualTo("job[1] has failed on a: no other try would do better");
    }

    @Test
    void ofTwoPlansWithOneIdTheFirstIsRunAndItsDocumentSaysThatThereWasAnother() {
        bridges.cut("a");
        bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'one'}]}");
        bridges.put("b", "{'_id': 'x', 'creator': 'b', 'job': [{'target': 'b', 'do': 'two'}]}");
        bridges.advance(10);
        bridges.couch.join();
        bridges.advance(10);

        for (String node : bridges.servers.keySet()) {
            assertThat(bridges.at(node).read("x").leaves()).hasSize(1);
            assertThat(bridges.read(node, "x").path("job_status").asString()).isEqualTo("success");
            assertThat(bridges.read(node, "x").path("reason").asString())
                    .startsWith("two versions of this document differ in creator");
        }
        assertThat(bridges.done).containsExactly("a one");
    }

    @Test
    void aJobWhosePlanWasChangedFailsAndShowsNoStepThatRuns() {
        bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 20'}]}");
        bridges.advance(3);
        ObjectNode changed = bridges.read("a", "x").deepCopy();
        ((ObjectNode) changed.at("/job/0")).put("do", "two");
        bridges.put("a", changed.toString());
        bridges.advance(60);

        for (String node : bridges.servers.keySet()) {
            ObjectNode document = bridges.read(node, "x");
            assertThat(document.path("job_status").asString()).isEqualTo("failed");
            assertThat(document.path("reason").asString()).contains("differ in job[0].do");
            assertThat(document.path("job").toString()).doesNotContain("running");
        }
        assertThat(bridges.done).containsExactly("b sleep 20");
    }

    @Test
    void oneOfASetDoesIt() {
        bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'work'}]}");
        bridges.advance(5);

        assertThat(bridges.done).hasSize(1);
        assertThat(bridges.done.get(0)).isIn("b work", "c work");
    }

    @Test
    void whatFailsIsTriedAgainThenTheAlternativeThenTheJobFails() {
        bridges.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [
                  {'target': 'any', 'do': 'fail', 'alt_do': 'fail otherwise',
                   'retry_strategy': {'max_retries': 2, 'sleep': 1, 'sleep_factor': 2}},
                  {'target': 'any', 'do': 'never'}]}""");
        bridges.advance(20);

        assertThat(bridges.done.stream().map(line -> line.substring(2)))
                .containsExactly("fail", "fail", "fail", "fail otherwise");
        ObjectNode document = bridges.read("a", "x");
        assertThat(document.path("job_status").asString()).isEqualTo("failed");
    }

    @Test
    void aStepTakesTwoRevisions() {
        for (int i = 0; i < 10; i++) {
            bridges.put(
                    "b",
                    "{'_id': 'x" + i + "', 'creator': 'b', 'job': [{'target': 'any', 'do': 'sleep 1'}, "
                            + "{'target': 'c', 'do': 'sleep 2'}, {'target': 'a', 'do': 'sleep 1'}]}");
        }
        bridges.advance(60);

        for (int i = 0; i < 10; i++) {
            assertThat(bridges.read("b", "x" + i).path("job_status").asString()).isEqualTo("success");
            assertThat(bridges.at("b").read("x" + i).leaves().get(0).generation())
                    .isLessThanOrEqualTo(1 + 2 * 3);
        }
    }

    @Test
    void aCancelledJobStops() {
        bridges.put(
                "a",
                "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 100'}, {'target': 'b', 'do':"
                        + " 'never'}]}");
        bridges.advance(5);
        ObjectNode document = bridges.read("c", "x").deepCopy();
        bridges.put("c", document.put("job_status", "cancelled").toString());
        bridges.advance(200);

        assertThat(bridges.done).containsExactly("b sleep 100");
        assertThat(bridges.read("a", "x").path("job_status").asString()).isEqualTo("cancelled");
    }
}
