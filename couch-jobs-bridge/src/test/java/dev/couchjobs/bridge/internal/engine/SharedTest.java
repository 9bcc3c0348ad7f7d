package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Nodes that share one database. */
class SharedTest {
    private final World world = World.shared(2, "a", "b", "c");

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
        ObjectNode document = world.read("a", "user");
        assertThat(document.path("job_status").asString()).isEqualTo("success");
        assertThat(document.path("step").asInt()).isEqualTo(3);
    }

    @Test
    void allNodesDoAStepThatIsForAll() {
        world.put("b", """
                {'_id': 'update', 'creator': 'b', 'job': [
                  {'target': 'all', 'do': 'install'},
                  {'target': 'any', 'do': 'report'}]}""");
        world.advance(5);

        assertThat(world.done.subList(0, 3)).containsExactlyInAnyOrder("a install", "b install", "c install");
        assertThat(world.done).hasSize(4);
        assertThat(world.read("b", "update").path("job_status").asString()).isEqualTo("success");
    }

    @Test
    void aFailureForGoodIsNotTriedAgainWhateverTheStrategySays() {
        world.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [
                  {'target': 'a', 'do': 'fail for good', 'retry_strategy': {'max_retries': 3}, 'alt_do': 'instead'},
                  {'target': 'a', 'do': 'fail for good', 'retry_strategy': {'max_retries': 3}}]}""");
        world.advance(30);

        assertThat(world.done).containsExactly("a fail for good", "a instead", "a fail for good");
        assertThat(world.read("a", "x").path("reason").asString())
                .isEqualTo("job[1] has failed on a: no other try would do better");
    }

    @Test
    void ofTwoPlansWithOneIdTheFirstIsRunAndItsDocumentSaysThatThereWasAnother() {
        world.cut("a");
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'one'}]}");
        world.put("b", "{'_id': 'x', 'creator': 'b', 'job': [{'target': 'b', 'do': 'two'}]}");
        world.advance(10);
        world.couch.join();
        world.advance(10);

        for (String node : world.servers.keySet()) {
            assertThat(world.at(node).read("x").leaves()).hasSize(1);
            assertThat(world.read(node, "x").path("job_status").asString()).isEqualTo("success");
            assertThat(world.read(node, "x").path("reason").asString())
                    .startsWith("two versions of this document differ in creator");
        }
        assertThat(world.done).containsExactly("a one");
    }

    @Test
    void aJobWhosePlanWasChangedFailsAndShowsNoStepThatRuns() {
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 20'}]}");
        world.advance(3);
        ObjectNode changed = world.read("a", "x").deepCopy();
        ((ObjectNode) changed.at("/job/0")).put("do", "two");
        world.put("a", changed.toString());
        world.advance(60);

        for (String node : world.servers.keySet()) {
            ObjectNode document = world.read(node, "x");
            assertThat(document.path("job_status").asString()).isEqualTo("failed");
            assertThat(document.path("reason").asString()).contains("differ in job[0].do");
            assertThat(document.path("job").toString()).doesNotContain("running");
        }
        assertThat(world.done).containsExactly("b sleep 20");
    }

    @Test
    void oneOfASetDoesIt() {
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'work'}]}");
        world.advance(5);

        assertThat(world.done).hasSize(1);
        assertThat(world.done.get(0)).isIn("b work", "c work");
    }

    @Test
    void whatFailsIsTriedAgainThenTheAlternativeThenTheJobFails() {
        world.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [
                  {'target': 'any', 'do': 'fail', 'alt_do': 'fail otherwise',
                   'retry_strategy': {'max_retries': 2, 'sleep': 1, 'sleep_factor': 2}},
                  {'target': 'any', 'do': 'never'}]}""");
        world.advance(20);

        assertThat(world.done.stream().map(line -> line.substring(2)))
                .containsExactly("fail", "fail", "fail", "fail otherwise");
        ObjectNode document = world.read("a", "x");
        assertThat(document.path("job_status").asString()).isEqualTo("failed");
    }

    @Test
    void aStepTakesTwoRevisions() {
        for (int i = 0; i < 10; i++) {
            world.put(
                    "b",
                    "{'_id': 'x" + i + "', 'creator': 'b', 'job': [{'target': 'any', 'do': 'sleep 1'}, "
                            + "{'target': 'c', 'do': 'sleep 2'}, {'target': 'a', 'do': 'sleep 1'}]}");
        }
        world.advance(60);

        for (int i = 0; i < 10; i++) {
            assertThat(world.read("b", "x" + i).path("job_status").asString()).isEqualTo("success");
            assertThat(world.at("b").read("x" + i).leaves().get(0).generation()).isLessThanOrEqualTo(1 + 2 * 3);
        }
    }

    @Test
    void aCancelledJobStops() {
        world.put(
                "a",
                "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 100'}, {'target': 'b', 'do':"
                        + " 'never'}]}");
        world.advance(5);
        ObjectNode document = world.read("c", "x").deepCopy();
        world.put("c", document.put("job_status", "cancelled").toString());
        world.advance(200);

        assertThat(world.done).containsExactly("b sleep 100");
        assertThat(world.read("a", "x").path("job_status").asString()).isEqualTo("cancelled");
    }
}
