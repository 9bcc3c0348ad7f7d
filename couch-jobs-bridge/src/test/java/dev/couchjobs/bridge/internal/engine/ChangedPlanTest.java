package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
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
