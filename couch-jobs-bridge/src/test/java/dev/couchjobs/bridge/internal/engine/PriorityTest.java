package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A person changes the priority of a job, in each of its states. */
class PriorityTest {
    private static final String RETRIED =
            "'do': 'fail', 'retry_strategy': {'max_retries': 1, 'sleep': 20}, 'alt_do': 'instead'";

    private static TestBridges bridges(boolean isShared) {
        return isShared ? TestBridges.shared(1, "a", "b") : TestBridges.replicated(Duration.ofMinutes(1), 1, "a", "b");
    }

    private static void edit(TestBridges bridges, String node, String id, int priority) {
        ObjectNode document = bridges.read(node, id).deepCopy();
        bridges.put(
                node, (priority == 0 ? document.without("priority") : document.put("priority", priority)).toString());
    }

    private static String job(String id, String target, String action) {
        return "{'_id': '" + id + "', 'creator': 'a', 'priority': 3, 'job': [{'target': " + target + ", " + action
                + "}, {'target': ['b'], 'do': 'next'}]}";
    }

    static Stream<Arguments> steps() {
        return Stream.of(true, false)
                .flatMap(isShared -> Stream.of("'b'", "'any'", "'all'")
                        .flatMap(target -> Stream.of("'do': 'sleep 20'", RETRIED)
                                .flatMap(action -> Stream.of(9, 0)
                                        .map(priority -> Arguments.of(isShared, target, action, priority)))));
    }

    /** A step that runs, or rests until its next try, goes on, and so does a claim on the next step. */
    @ParameterizedTest
    @MethodSource("steps")
    void aStepThatHasBegunGoesOn(boolean isShared, String target, String action, int priority) {
        try (TestBridges bridges = bridges(isShared)) {
            bridges.put("a", job("x", target, action));
            bridges.advance(5);
            List<String> begun = List.copyOf(bridges.done);
            JsonNode step = bridges.read("a", "x").at("/job/0");
            assertThat(step.path("step_status").asString()).isEqualTo("running");
            edit(bridges, priority == 9 ? "b" : "a", "x", priority);
            bridges.advance(5);

            assertThat(bridges.done).isEqualTo(begun);
            for (String node : List.of("a", "b")) {
                ObjectNode document = bridges.read(node, "x");
                assertThat(document.path("priority").asInt(0)).isEqualTo(priority);
                assertThat(document.at("/job/0")).isEqualTo(step);
                assertThat(document.has("reason")).isFalse();
            }
            bridges.advance(60);
            ObjectNode document = bridges.read("a", "x");
            assertThat(document.path("job_status").asString()).isEqualTo("success");
            assertThat(document.path("priority").asInt(0)).isEqualTo(priority);
            if (!action.equals(RETRIED)) {
                assertThat(bridges.done).doesNotHaveDuplicates();
            }
        }
    }

    /** Three jobs wait for the only worker of a node. */
    @ParameterizedTest
    @MethodSource("joins")
    void aStepThatWaitsChangesItsPlace(boolean isShared, String target) {
        try (TestBridges bridges = bridges(isShared)) {
            for (String node : List.of("a", "b")) {
                bridges.put(
                        node,
                        "{'_id': 'busy-" + node + "', 'creator': '" + node + "', 'priority': 100, 'job': [{'target': '"
                                + node + "', 'do': 'sleep 30'}]}");
            }
            for (String id : List.of("x", "y", "z")) {
                bridges.put("a", job(id, target, "'do': 'sleep 1" + id.charAt(0) % 10 + "'"));
            }
            bridges.advance(5);
            edit(bridges, "b", "z", 9);
            edit(bridges, "a", "x", 0);
            bridges.advance(160);

            assertThat(bridges.done.stream().filter(done -> done.startsWith("b sleep 1")))
                    .containsExactly("b sleep 12", "b sleep 11", "b sleep 10");
            for (String id : List.of("x", "y", "z")) {
                assertThat(bridges.read("b", id).path("job_status").asString()).isEqualTo("success");
            }
        }
    }

    static Stream<Arguments> joins() {
        return Stream.of(true, false)
                .flatMap(isShared -> Stream.of("'b'", "['b']").map(target -> Arguments.of(isShared, target)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofTwoChangesAtOnceTheHigherPriorityPrevails(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            bridges.put("a", job("x", "'b'", "'do': 'sleep 30'"));
            bridges.advance(5);
            bridges.cut("a");
            edit(bridges, "a", "x", 7);
            edit(bridges, "b", "x", 8);
            bridges.couch.join();
            bridges.advance(60);

            for (String node : List.of("a", "b")) {
                assertThat(bridges.at(node).read("x").leaves()).hasSize(1);
                assertThat(bridges.read(node, "x").path("priority").asInt()).isEqualTo(8);
                assertThat(bridges.read(node, "x").path("job_status").asString())
                        .isEqualTo("success");
            }
            assertThat(bridges.done).containsExactly("b sleep 30", "b next");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void thePriorityOfAJobThatHasEndedIsThePersons(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            bridges.put("a", job("x", "'b'", "'do': 'one'"));
            bridges.advance(5);
            int revisions = bridges.revisions("a", "x");
            edit(bridges, "b", "x", 9);
            bridges.advance(5);

            assertThat(bridges.revisions("a", "x")).isEqualTo(revisions + 1);
            assertThat(bridges.read("a", "x").path("job_status").asString()).isEqualTo("success");
            assertThat(bridges.done).containsExactly("b one", "b next");
        }
    }
}
