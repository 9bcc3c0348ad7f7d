package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a node makes of versions that come from elsewhere. */
class ArrivalsTest {
    private final World world = World.replicated(Duration.ofMinutes(1), 2, "a", "b");

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void aVersionThatNamesANodeWhichIsGoneByNowIsTakenOverBeforeItIsDeleted() {
        world.couch.cut(Set.of(world.server("b")));
        world.put("b", """
                {'_id': 'x', 'creator': 'a', 'job': [{'target': 'any', 'do': 'sleep 60', 'claimed_by': 'gone', 'winner': 'gone',
                  'step_status': 'running', 'executioner': 'Node: gone, worker: 1', 'begun': 2}]}""");
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'any', 'do': 'sleep 60'}]}");
        world.advance(5);
        assertThat(world.done).containsExactly("a sleep 60");

        world.couch.join();
        world.advance(120);
        assertThat(world.read("a", "x").path("job").path(0).path("winner").asString())
                .isEqualTo("gone");
        assertThat(world.at("a").read("x").leaves()).hasSize(1);
    }

    @Test
    void aSpoiltVersionThatLosesAgainstAnotherDoesNotHaveAnythingDoneAgain() {
        world.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'all', 'do': 'sleep 60'}]}");
        world.advance(5);
        world.couch.cut(Set.of(world.server("b")));
        world.put(
                "b",
                world.read("b", "x").deepCopy().put("job_status", "cancelled").toString());
        world.advance(5);
        world.put("b", world.read("b", "x").deepCopy().put("job", "spoilt").toString());
        for (int i = 0; i < 9; i++) { // the longer of two histories prevails
            world.put("a", world.read("a", "x").toString());
        }
        world.advance(5);
        world.couch.join();
        world.advance(120);

        assertThat(world.done).containsExactlyInAnyOrder("a sleep 60", "b sleep 60");
        assertThat(world.read("b", "x").path("job_status").asString()).isEqualTo("cancelled");
    }
}
