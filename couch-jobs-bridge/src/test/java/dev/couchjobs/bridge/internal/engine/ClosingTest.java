package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.action.Stoppable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What becomes of what runs when a bridge ends, or has lost it. */
class ClosingTest {
    @Test
    void aStepIsGivenToAnotherNodeOnlyWhenItsActionHasEnded() {
        try (World world = World.shared(1, "a", "b")) {
            world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'any', 'do': 'stubborn'}]}");
            world.advance(5);
            String first = world.done.get(0).substring(0, 1);
            world.close(first);
            world.advance(60);

            String second = first.equals("a") ? "b" : "a";
            assertThat(world.done).containsExactly(first + " stubborn", first + " ended", second + " stubborn");
            assertThat(world.process(first).isAlive()).isFalse();
        }
    }

    @Test
    void aWorkItemIsGivenToAnotherNodeOnlyWhenItsActionHasEnded() {
        try (World world = World.shared(1, "a", "b")) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'stubborn'}");
            world.advance(5);
            String first = world.done.get(0).substring(0, 1);
            world.close(first);
            world.advance(60);

            String second = first.equals("a") ? "b" : "a";
            assertThat(world.done).containsExactly(first + " stubborn", first + " ended", second + " stubborn");
        }
    }

    @Test
    void whatEndsWhileABridgeClosesIsWrittenBack() {
        try (World world = World.replicated(Duration.ofMinutes(1), 1, "a")) {
            world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'sleep 20'}]}");
            world.advance(5);
            world.close("a");
            world.advance(60);

            assertThat(world.process("a").isAlive()).isFalse();
            assertThat(world.read("a", "x").path("job_status").asString()).isEqualTo("success");
        }
    }

    @Test
    void aBridgeEndsThoughItsCouchDbDoesNotAnswer() {
        try (World world = World.replicated(Duration.ofMinutes(1), 1, "a")) {
            world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'a', 'do': 'sleep 10'}]}");
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 10'}");
            world.couch.crash(world.server("a"), Duration.ofHours(1));
            world.close("a");
            world.advance(75);

            assertThat(world.process("a").isAlive()).isFalse();
        }
    }

    @Test
    void whatIsRunAgainInTheSameProcessWaitsForWhatIsLeftOfIt() {
        Running running = new Running();
        Stoppable<Void> first = new Stoppable<>();
        Stoppable<Void> second = new Stoppable<>();
        assertThat(running.add("x", 0, first)).isCompleted();
        assertThat(running.add("x", 1, new Stoppable<>())).isCompleted();

        CompletableFuture<Void> alone = running.add("x", 0, second);
        assertThat(running.describe()).containsExactly("document x step 0", "document x step 1");
        assertThat(first.isStopped()).isTrue();
        assertThat(alone).isNotDone();

        first.complete(null);
        assertThat(alone).isCompleted();
        running.stop("x");
        assertThat(second.isStopped()).isTrue();
    }
}
