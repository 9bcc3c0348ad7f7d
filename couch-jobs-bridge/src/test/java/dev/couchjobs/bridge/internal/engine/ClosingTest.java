package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.action.Stoppable;
import dev.couchjobs.bridge.internal.steps.RunningActions;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Running steps when a bridge closes, or has lost their claims. */
class ClosingTest {
    @Test
    void aStepIsGivenToAnotherNodeOnlyWhenItsActionHasEnded() {
        try (TestBridges bridges = TestBridges.shared(1, "a", "b")) {
            bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'any', 'do': 'stubborn'}]}");
            bridges.advance(5);
            String first = bridges.done.get(0).substring(0, 1);
            bridges.close(first);
            bridges.advance(60);

            String second = first.equals("a") ? "b" : "a";
            assertThat(bridges.done).containsExactly(first + " stubborn", first + " ended", second + " stubborn");
            assertThat(bridges.process(first).isAlive()).isFalse();
        }
    }

    @Test
    void aWorkItemIsGivenToAnotherNodeOnlyWhenItsActionHasEnded() {
        try (TestBridges bridges = TestBridges.shared(1, "a", "b")) {
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'stubborn'}");
            bridges.advance(5);
            String first = bridges.done.get(0).substring(0, 1);
            bridges.close(first);
            bridges.advance(60);

            String second = first.equals("a") ? "b" : "a";
            assertThat(bridges.done).containsExactly(first + " stubborn", first + " ended", second + " stubborn");
        }
    }

    @Test
    void whatEndsWhileABridgeClosesIsWrittenBack() {
        try (TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 1, "a")) {
            bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'sleep 20'}]}");
            bridges.advance(5);
            bridges.close("a");
            bridges.advance(60);

            assertThat(bridges.process("a").isAlive()).isFalse();
            assertThat(bridges.read("a", "x").path("job_status").asString()).isEqualTo("success");
        }
    }

    @Test
    void aBridgeEndsThoughItsCouchDbDoesNotAnswer() {
        try (TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 1, "a")) {
            bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'sleep 10'}]}");
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 10'}");
            bridges.couch.crash(bridges.server("a"), Duration.ofHours(1));
            bridges.close("a");
            bridges.advance(75);

            assertThat(bridges.process("a").isAlive()).isFalse();
        }
    }

    /** Whether it waits, runs a step that ends soon, or has a result to write. */
    @ParameterizedTest
    @ValueSource(strings = {"", "sleep 2", "done"})
    void aBridgeThatIsClosedAfterItsDatabaseEndsAtOnce(String step) {
        try (TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 1, "a")) {
            if (!step.isEmpty()) {
                bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': '" + step + "'}]}");
            }
            bridges.advance(1);
            bridges.isDatabaseClosed = true;
            bridges.close("a");
            bridges.advance(4); // less than a closing bridge waits for a database that is slow

            assertThat(bridges.process("a").isAlive()).isFalse();
        }
    }

    /** A bridge that stops while it waits for its CouchDB would otherwise start when that answers. */
    @Test
    void aClosedBridgeDoesNotStart() {
        try (TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 1, "a")) {
            BridgeEngine engine = Objects.requireNonNull(bridges.engines.get("a"));
            CompletableFuture<Void> started = new CompletableFuture<>();
            bridges.process("a").scheduler().execute(() -> {
                var unused = engine.closeAsync();
                var unusedToo = engine.start().whenComplete((done, error) -> started.complete(null));
            });
            bridges.advance(60);
            bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'sleep 1'}]}");
            bridges.advance(60);

            assertThat(started).isDone();
            assertThat(bridges.done).isEmpty();
            assertThat(bridges.read("a", "x").has("job_status")).isFalse();
        }
    }

    @Test
    void whatIsRunAgainInTheSameProcessWaitsForWhatIsLeftOfIt() {
        RunningActions actions = new RunningActions();
        Stoppable<Void> first = new Stoppable<>();
        Stoppable<Void> second = new Stoppable<>();
        assertThat(actions.add("x", 0, first)).isCompleted();
        assertThat(actions.add("x", 1, new Stoppable<>())).isCompleted();

        CompletableFuture<Void> alone = actions.add("x", 0, second);
        assertThat(actions.describe()).containsExactly("document x step 0", "document x step 1");
        assertThat(first.isStopped()).isTrue();
        assertThat(alone).isNotDone();

        first.complete(null);
        assertThat(alone).isCompleted();
        actions.stop("x");
        assertThat(second.isStopped()).isTrue();
    }
}
