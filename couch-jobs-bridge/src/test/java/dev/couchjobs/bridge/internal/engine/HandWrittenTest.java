package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** A person writes what only bridges know. */
class HandWrittenTest {
    private static final String UNKNOWN = "job[0].step_status: says that node b has ended the step";

    private static World world(boolean isShared) {
        return isShared ? World.shared(2, "a", "b") : World.replicated(Duration.ofMinutes(1), 2, "a", "b");
    }

    private static ObjectNode finished(World world, String node) {
        ObjectNode document = world.read(node, "x").deepCopy();
        ((ObjectNode) document.at("/job/0"))
                .put("step_status", "finished")
                .put("claimed_by", "b")
                .put("winner", "b")
                .put("executioner", "Node: b, worker: 1");
        return document;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEndThatItsNodeDoesNotKnowIsRefused(boolean isShared) {
        try (World world = world(isShared)) {
            world.put("b", """
                    {'_id': 'x', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 50'}, {'target': 'b', 'do': 'never'}]}""");
            world.advance(5);
            world.put("b", finished(world, "b").toString());
            world.advance(100);

            assertRefused(world, "a");
            assertRefused(world, "b");
            assertThat(world.done).containsExactly("b sleep 50");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEndInADocumentThatNoBridgeHasWrittenToIsRefused(boolean isShared) {
        try (World world = world(isShared)) {
            world.put("b", """
                    {'_id': 'x', 'creator': 'b', 'job': [
                      {'target': 'b', 'do': 'first', 'step_status': 'finished', 'executioner': 'Node: b, worker: 1'},
                      {'target': 'a', 'do': 'never'}]}""");
            world.advance(30);

            assertRefused(world, "a");
            assertRefused(world, "b");
            assertThat(world.done).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEndThatAnotherNodeIsSaidToHaveWrittenFailsTheJobWhenThatNodeHearsOfIt(boolean isShared) {
        try (World world = world(isShared)) {
            world.put("a", """
                    {'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 50'}, {'target': 'b', 'do': 'never'}]}""");
            world.advance(5);
            world.put("a", finished(world, "a").toString());
            world.advance(100);

            assertRefused(world, "a");
            assertRefused(world, "b");
            assertThat(world.done).containsExactly("b sleep 50");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBridgeThatHasLostItsLedgerBelievesWhatItHasWritten(boolean isShared) {
        try (World world = world(isShared)) {
            world.put("b", """
                    {'_id': 'x', 'creator': 'b', 'job': [{'target': 'b', 'do': 'first'}, {'target': 'a', 'do': 'sleep 50'}]}""");
            world.advance(5);
            if (isShared) {
                world.kill("a");
            }
            world.loseDirectory("b");
            world.start("b");
            if (isShared) {
                world.start("a");
            }
            world.advance(100);

            assertThat(world.read("b", "x").path("job_status").asString()).isEqualTo("success");
            assertThat(world.done).containsOnlyOnce("b first");
        }
    }

    private static void assertRefused(World world, String node) {
        assertThat(world.read(node, "x").path("job_status").asString()).isEqualTo("failed");
        assertThat(world.read(node, "x").path("reason").asString()).startsWith(UNKNOWN);
    }
}
