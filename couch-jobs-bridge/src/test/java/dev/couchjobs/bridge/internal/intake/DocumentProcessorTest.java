package dev.couchjobs.bridge.internal.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.engine.TestBridges;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The import of versions from other nodes. */
class DocumentProcessorTest {
    private final TestBridges bridges = TestBridges.replicated(Duration.ofMinutes(1), 2, "a", "b");

    @AfterEach
    void close() {
        bridges.close();
    }

    @Test
    void aVersionThatNamesANodeWhichIsGoneByNowIsTakenOverBeforeItIsDeleted() {
        bridges.couch.cut(Set.of(bridges.server("b")));
        bridges.put("b", """
                {'_id': 'x', 'creator': 'a', 'job': [{'target': 'any', 'do': 'sleep 60', 'claimed_by': 'gone', 'winner': 'gone',
                  'step_status': 'running', 'executioner': 'Node: gone, worker: 1', 'begun': 2}]}""");
        bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'any', 'do': 'sleep 60'}]}");
        bridges.advance(5);
        assertThat(bridges.done).containsExactly("a sleep 60");

        bridges.couch.join();
        bridges.advance(120);
        assertThat(bridges.read("a", "x").path("job").path(0).path("winner").asString())
                .isEqualTo("gone");
        assertThat(bridges.at("a").read("x").leaves()).hasSize(1);
    }

    @Test
    void aSpoiltVersionThatLosesAgainstAnotherDoesNotHaveAnythingDoneAgain() {
        bridges.put("a", "{'_id': 'x', 'creator': 'a', 'job': [{'target': 'all', 'do': 'sleep 60'}]}");
        bridges.advance(5);
        bridges.couch.cut(Set.of(bridges.server("b")));
        bridges.put(
                "b",
                bridges.read("b", "x").deepCopy().put("job_status", "cancelled").toString());
        bridges.advance(5);
        bridges.put("b", bridges.read("b", "x").deepCopy().put("job", "spoilt").toString());
        for (int i = 0; i < 9; i++) { // the longer of two histories wins
            bridges.put("a", bridges.read("a", "x").toString());
        }
        bridges.advance(5);
        bridges.couch.join();
        bridges.advance(120);

        assertThat(bridges.done).containsExactlyInAnyOrder("a sleep 60", "b sleep 60");
        assertThat(bridges.read("b", "x").path("job_status").asString()).isEqualTo("cancelled");
    }
}
