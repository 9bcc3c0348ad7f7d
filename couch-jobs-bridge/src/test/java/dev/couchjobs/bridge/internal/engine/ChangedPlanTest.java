package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** A person changes what a job is to do, after nodes have taken it in. */
class ChangedPlanTest {
    private final World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b", "c");

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void aJobOfWhichItsCreatorHasNotHeardBecomesTheOther() {
        world.cut("a");
        world.process("c").pause(Duration.ofSeconds(3)); // so that only b claims the step
        world.put("b", "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'one'}]}");
        world.advance(5);
        change("b", "two");
        world.couch.join();
        world.advance(10);

        assertThat(world.read("b", "x").path("job_status").asString()).isEqualTo("success");
        assertThat(world.done).hasSize(1).allMatch(done -> done.endsWith(" two"));
    }

    @Test
    void aJobThatHasBegunWhereItsCreatorHasNotHeardOfItFails() {
        world.cut("a");
        world.put("b", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 3'}]}");
        world.advance(1);
        change("b", "two");
        world.advance(10);
        world.couch.join();
        world.advance(10);

        for (String node : world.servers.keySet()) {
            assertFailed(node, "two versions of this document differ in job[0].do");
        }
        assertThat(world.done).containsExactly("b sleep 3");
    }

    @Test
    void aJobThatWasRefusedDoesNotTakeAThirdPlanEither() {
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 20'}]}");
        world.advance(1);
        world.cut("b");
        change("a", "two");
        world.advance(3);
        assertFailed("a", "differ in job[0].do");
        mend("a", "three");
        world.advance(3);
        assertFailed("a", "differ in job[0].do");

        world.couch.join();
        world.advance(10);
        assertFailed("b", "differ in job[0].do");
        assertThat(world.done).containsExactly("b sleep 20");
    }

    @Test
    void aJobThatIsGivenItsPlanBackGoesOnWhereItWas() {
        world.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'one'}, {'target': 'a', 'do': 'sleep 20'}]}""");
        world.advance(2);
        change("a", "two");
        world.advance(3);
        assertFailed("a", "differ in job[0].do");
        mend("a", "one");
        world.advance(30);

        assertThat(world.read("a", "x").path("job_status").asString()).isEqualTo("success");
        assertThat(world.done).containsExactly("a one", "a sleep 20", "a sleep 20");
    }

    @Test
    void aJobThatIsGivenItsPlanBackGoesOnWhereNothingWasSeenButTheOther() {
        world.cut("b");
        world.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'sleep 20'}, {'target': 'b', 'do': 'one'}]}""");
        world.advance(1);
        change("a", "two");
        world.advance(3);
        world.couch.join();
        world.advance(3);
        assertFailed("b", "differ in job[0].do");
        mend("a", "sleep 20");
        world.advance(40);

        assertThat(world.read("b", "x").path("job_status").asString()).isEqualTo("success");
        assertThat(world.done).endsWith("b one");
    }

    @Test
    void ofTwoPlansWithOneIdThatHaveBothBeenDoneTheOneThatIsShownSaysThatThereWasAnother() {
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
                    .isEqualTo("two versions of this document differ in creator; a job is not changed once it is there:"
                            + " make a new document");
        }
        assertThat(world.done).containsExactlyInAnyOrder("a one", "b two");
    }

    @Test
    void ofTwoPlansWithOneIdTheOneThatStillRunsIsStoppedByTheOneThatIsDone() {
        world.cut("a");
        world.put("b", "{'_id': 'x', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 60'}]}");
        world.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'one'}, {'target': 'a', 'do': 'one'}]}""");
        world.advance(10);
        world.couch.join();
        world.advance(100);

        for (String node : world.servers.keySet()) {
            assertThat(world.read(node, "x").path("job_status").asString()).isEqualTo("success");
            assertThat(world.read(node, "x").path("reason").asString())
                    .contains("two versions of this document differ in creator");
        }
    }

    @Test
    void twoPlansWithOneIdThatBothStillRunFailTogether() {
        world.cut("a");
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'sleep 60'}]}");
        world.put("b", "{'_id': 'x', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 61'}]}");
        world.advance(10);
        world.couch.join();
        world.advance(100);

        for (String node : world.servers.keySet()) {
            assertThat(world.at(node).read("x").leaves()).hasSize(1);
            assertFailed(node, "two versions of this document differ in creator");
            assertThat(world.read(node, "x").path("job").toString()).doesNotContain("running");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"'a'", "['a', 'b']", "'all'"})
    void aJobWhosePlanWasChangedShowsNoStepThatRuns(String target) {
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': " + target + ", 'do': 'sleep 20'}]}");
        world.advance(3);
        assertThat(world.read("a", "x").at("/job/0/step_status").asString()).isEqualTo("running");
        change("a", "two");
        world.advance(60);

        for (String node : world.servers.keySet()) {
            assertFailed(node, "differ in job[0].do");
            assertThat(world.read(node, "x").path("job").toString()).doesNotContain("running");
        }
        mend("a", "sleep 20");
        world.advance(60);
        assertThat(world.read("a", "x").path("job_status").asString()).isEqualTo("success");
    }

    private void change(String node, String command) {
        put(node, command, false);
    }

    private void mend(String node, String command) {
        put(node, command, true);
    }

    private void put(String node, String command, boolean anew) {
        ObjectNode document = world.read(node, "x").deepCopy();
        ((ObjectNode) document.at("/job/0")).put("do", command);
        if (anew) {
            document.remove("job_status");
            document.remove("reason");
        }
        world.put(node, document.toString());
    }

    private void assertFailed(String node, String reason) {
        assertThat(world.read(node, "x").path("job_status").asString()).isEqualTo("failed");
        assertThat(world.read(node, "x").path("reason").asString()).contains(reason);
    }
}
