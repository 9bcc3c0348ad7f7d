package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** A person writes fields that only bridges should write. */
class HandWrittenTest {
    private static final String UNKNOWN = "job[0].step_status: says that node b has ended the step";

    private static TestBridges bridges(boolean isShared) {
        return isShared ? TestBridges.shared(2, "a", "b") : TestBridges.replicated(Duration.ofMinutes(1), 2, "a", "b");
    }

    private static ObjectNode finished(TestBridges bridges, String node) {
        ObjectNode document = bridges.read(node, "x").deepCopy();
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
        try (TestBridges bridges = bridges(isShared)) {
            bridges.put("b", """
                    {'_id': 'x', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 50'}, {'target': 'b', 'do': 'never'}]}""");
            bridges.advance(5);
            bridges.put("b", finished(bridges, "b").toString());
            bridges.advance(100);

            assertRefused(bridges, "a");
            assertRefused(bridges, "b");
            assertThat(bridges.done).containsExactly("b sleep 50");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEndInADocumentThatNoBridgeHasWrittenToIsRefused(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            bridges.put("b", """
                    {'_id': 'x', 'creator': 'b', 'job': [
                      {'target': 'b', 'do': 'first', 'step_status': 'finished', 'executioner': 'Node: b, worker: 1'},
                      {'target': 'a', 'do': 'never'}]}""");
            bridges.advance(30);

            assertRefused(bridges, "a");
            assertRefused(bridges, "b");
            assertThat(bridges.done).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEndThatAnotherNodeIsSaidToHaveWrittenFailsTheJobWhenThatNodeHearsOfIt(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            bridges.put("a", """
                    {'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 50'}, {'target': 'b', 'do': 'never'}]}""");
            bridges.advance(5);
            bridges.put("a", finished(bridges, "a").toString());
            bridges.advance(100);

            assertRefused(bridges, "a");
            assertRefused(bridges, "b");
            assertThat(bridges.done).containsExactly("b sleep 50");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBridgeThatHasLostItsStoreBelievesWhatItHasWritten(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            bridges.put("b", """
                    {'_id': 'x', 'creator': 'b', 'job': [{'target': 'b', 'do': 'first'}, {'target': 'a', 'do': 'sleep 50'}]}""");
            bridges.advance(5);
            if (isShared) {
                bridges.kill("a");
            }
            bridges.loseDirectory("b");
            bridges.start("b", isShared);
            if (isShared) {
                bridges.start("a", true);
            }
            bridges.advance(100);

            assertThat(bridges.read("b", "x").path("job_status").asString()).isEqualTo("success");
            assertThat(bridges.done).containsOnlyOnce("b first");
        }
    }

    @Test
    void aClusterThatHasLostItsStoreBelievesNothingUnlessABridgeIsToldToTakeOver() {
        try (TestBridges bridges = bridges(true)) {
            bridges.put("b", """
                    {'_id': 'x', 'creator': 'b', 'job': [{'target': 'b', 'do': 'first'}, {'target': 'a', 'do': 'sleep 50'}]}""");
            bridges.advance(5);
            bridges.kill("a");
            bridges.loseDirectory("b");
            bridges.start("b");
            bridges.start("a");
            bridges.advance(100);

            assertRefused(bridges, "a");
            assertRefused(bridges, "b");
            assertThat(bridges.done).containsExactly("b first", "a sleep 50");
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void anEndInADocumentThatTheStoreHasHadBeforeIsRefused(boolean isShared, boolean wasDeleted) {
        try (TestBridges bridges = bridges(isShared)) {
            String job = wasDeleted ? "[{'target': 'b', 'do': 'first'}]" : "[{'target': 'nowhere', 'do': 'first'}]";
            bridges.put("b", "{'_id': 'x', 'creator': 'b', 'job': " + job + "}");
            bridges.advance(5);
            ObjectNode forged = TestBridges.json("""
                    {'_id': 'x', 'creator': 'b', 'job': [
                      {'target': 'b', 'do': 'second', 'step_status': 'finished', 'executioner': 'Node: b, worker: 1'},
                      {'target': 'a', 'do': 'never'}]}""");
            String revision = bridges.read("b", "x").path("_rev").asString();
            if (wasDeleted) {
                bridges.put("b", "{'_id': 'x', '_deleted': true, '_rev': '" + revision + "'}");
                bridges.advance(5);
            } else {
                forged.put("_rev", revision);
            }
            bridges.put("b", forged.toString());
            bridges.advance(30);

            assertRefused(bridges, "a");
            assertRefused(bridges, "b");
            assertThat(bridges.done).doesNotContain("a never");
        }
    }

    private static void assertRefused(TestBridges bridges, String node) {
        assertThat(bridges.read(node, "x").path("job_status").asString()).isEqualTo("failed");
        assertThat(bridges.read(node, "x").path("reason").asString()).startsWith(UNKNOWN);
    }
}
