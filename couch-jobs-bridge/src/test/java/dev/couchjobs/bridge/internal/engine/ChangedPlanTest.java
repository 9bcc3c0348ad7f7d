package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** A person changes the plan of a job after nodes have imported it. */
class ChangedPlanTest {
    private static final int TWICE = 20;

    private final TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 2, "a", "b", "c");

    @AfterEach
    void close() {
        bridges.close();
    }

    @Test
    void aJobOfWhichItsCreatorHasNotHeardBecomesTheOther() {
        bridges.cut("a");
        bridges.process("c").pause(Duration.ofSeconds(3)); // so that only b claims the step
        bridges.put("b", "{'_id': 'x', 'creator': 'a', 'job': [{'target': ['b', 'c'], 'do': 'one'}]}");
        bridges.advance(5);
        change("b", "two");
        bridges.couch.join();
        bridges.advance(10);

        assertThat(bridges.read("b", "x").path("job_status").asString()).isEqualTo("success");
        assertThat(bridges.done).hasSize(1).allMatch(done -> done.endsWith(" two"));
    }

    @Test
    void aJobThatHasBegunWhereItsCreatorHasNotHeardOfItFails() {
        bridges.cut("a");
        bridges.put("b", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 3'}]}");
        bridges.advance(1);
        change("b", "two");
        bridges.advance(10);
        bridges.couch.join();
        bridges.advance(10);

        for (String node : bridges.servers.keySet()) {
            assertFailed(node, "two versions of this document differ in job[0].do");
        }
        assertThat(bridges.done).containsExactly("b sleep 3");
    }

    @Test
    void aJobThatWasRefusedDoesNotTakeAThirdPlanEither() {
        bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'b', 'do': 'sleep 20'}]}");
        bridges.advance(1);
        bridges.cut("b");
        change("a", "two");
        bridges.advance(3);
        assertFailed("a", "differ in job[0].do");
        mend("a", "three");
        bridges.advance(3);
        assertFailed("a", "differ in job[0].do");

        bridges.couch.join();
        bridges.advance(10);
        assertFailed("b", "differ in job[0].do");
        assertThat(bridges.done).containsExactly("b sleep 20");
    }

    @Test
    void aJobThatIsGivenItsPlanBackGoesOnWhereItWas() {
        bridges.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'one'}, {'target': 'a', 'do': 'sleep 20'}]}""");
        bridges.advance(2);
        change("a", "two");
        bridges.advance(3);
        assertFailed("a", "differ in job[0].do");
        mend("a", "one");
        bridges.advance(30);

        assertThat(bridges.read("a", "x").path("job_status").asString()).isEqualTo("success");
        assertThat(bridges.done).containsExactly("a one", "a sleep 20", "a sleep 20");
    }

    @Test
    void aJobThatIsGivenItsPlanBackGoesOnWhereNothingWasSeenButTheOther() {
        bridges.cut("b");
        bridges.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'sleep 20'}, {'target': 'b', 'do': 'one'}]}""");
        bridges.advance(1);
        change("a", "two");
        bridges.advance(3);
        bridges.couch.join();
        bridges.advance(3);
        assertFailed("b", "differ in job[0].do");
        mend("a", "sleep 20");
        bridges.advance(40);

        assertThat(bridges.read("b", "x").path("job_status").asString()).isEqualTo("success");
        assertThat(bridges.done).endsWith("b one");
    }

    @Test
    void ofTwoPlansWithOneIdThatHaveBothBeenDoneTheOneThatIsShownSaysThatThereWasAnother() {
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
                    .isEqualTo("two versions of this document differ in creator; a job cannot be changed:"
                            + " create a new document");
        }
        assertThat(bridges.done).containsExactlyInAnyOrder("a one", "b two");
    }

    @Test
    void ofTwoPlansWithOneIdTheOneThatStillRunsIsStoppedByTheOneThatIsDone() {
        bridges.cut("a");
        bridges.put("b", "{'_id': 'x', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 60'}]}");
        bridges.put("a", """
                {'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'one'}, {'target': 'a', 'do': 'one'}]}""");
        bridges.advance(10);
        bridges.couch.join();
        bridges.advance(100);

        for (String node : bridges.servers.keySet()) {
            assertThat(bridges.read(node, "x").path("job_status").asString()).isEqualTo("success");
            assertThat(bridges.read(node, "x").path("reason").asString())
                    .contains("two versions of this document differ in creator");
        }
    }

    /** Which of two versions CouchDB shows follows from a hash of both. With many ids it is now the one, now the other. */
    @Test
    void twoPlansWithOneIdThatBothStillRunFailTogether() {
        try (TestBridges many = TestBridges.replicated(Duration.ofMinutes(1), TWICE, "a", "b", "c")) {
            many.cut("a");
            many.putAll("a", twice("{'_id': '%1$s', 'creator': 'a', 'job': [{'target': 'a', 'do': 'sleep 60 %1$s'}]}"));
            many.putAll("b", twice("{'_id': '%1$s', 'creator': 'b', 'job': [{'target': 'b', 'do': 'sleep 61 %1$s'}]}"));
            many.advance(10);
            many.couch.join();
            many.advance(100);

            List<String> wrong = new ArrayList<>();
            Set<String> shown = new TreeSet<>();
            for (String node : many.servers.keySet()) {
                for (int i = 0; i < TWICE; i++) {
                    ObjectNode document = many.read(node, "x" + i);
                    shown.add(document.path("creator").asString());
                    boolean isRight = many.at(node).read("x" + i).leaves().size() == 1
                            && document.path("job_status").asString("").equals("failed")
                            && document.path("reason")
                                    .asString("")
                                    .contains("two versions of this document differ in creator")
                            && !document.path("job").toString().contains("running");
                    if (!isRight) {
                        wrong.add(node + ": " + many.at(node).read("x" + i).leaves());
                    }
                }
            }
            assertThat(String.join("\n", wrong)).isEmpty();
            assertThat(shown).containsExactly("a", "b");
        }
    }

    private static List<String> twice(String document) {
        return IntStream.range(0, TWICE)
                .mapToObj(i -> document.formatted("x" + i))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"'a'", "['a', 'b']", "'all'"})
    void aJobWhosePlanWasChangedShowsNoStepThatRuns(String target) {
        bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': " + target + ", 'do': 'sleep 20'}]}");
        bridges.advance(3);
        assertThat(bridges.read("a", "x").at("/job/0/step_status").asString()).isEqualTo("running");
        change("a", "two");
        bridges.advance(60);

        for (String node : bridges.servers.keySet()) {
            assertFailed(node, "differ in job[0].do");
            assertThat(bridges.read(node, "x").path("job").toString()).doesNotContain("running");
        }
        mend("a", "sleep 20");
        bridges.advance(60);
        assertThat(bridges.read("a", "x").path("job_status").asString()).isEqualTo("success");
    }

    private void change(String node, String command) {
        put(node, command, false);
    }

    private void mend(String node, String command) {
        put(node, command, true);
    }

    private void put(String node, String command, boolean anew) {
        ObjectNode document = bridges.read(node, "x").deepCopy();
        ((ObjectNode) document.at("/job/0")).put("do", command);
        if (anew) {
            document.remove("job_status");
            document.remove("reason");
        }
        bridges.put(node, document.toString());
    }

    private void assertFailed(String node, String reason) {
        assertThat(bridges.read(node, "x").path("job_status").asString()).isEqualTo("failed");
        assertThat(bridges.read(node, "x").path("reason").asString()).contains(reason);
    }
}
