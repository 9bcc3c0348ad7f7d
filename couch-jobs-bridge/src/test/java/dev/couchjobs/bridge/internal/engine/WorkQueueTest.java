package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.document.WorkView;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.ObjectNode;

/** Work items, worked on by processes that share their jobs and by one that does not. */
class WorkQueueTest {
    static List<World> worlds() {
        return List.of(World.shared(2, "a", "b", "c"), World.replicated(Duration.ofMinutes(1), 2, "a"));
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void anItemIsDoneOnceAndDeleted(World world) {
        try (world) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'to': 'jo@example.org'}");
            world.advance(5);

            assertThat(world.done).hasSize(1);
            assertThat(world.at("a").read("w").current()).isEmpty();
            assertThat(world.at("a").read(WorkView.DESIGN_ID).current()).isPresent();
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void anItemIsDoneWhenItIsDue(World world) {
        try (world) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'date': '2026-01-01T00:01:00Z'}");
            world.advance(30);
            assertThat(world.done).isEmpty();

            world.advance(40);
            assertThat(world.done).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void whatFailsIsTriedAgainAndThenStays(World world) {
        try (world) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'fail'}");
            world.advance(20);

            assertThat(world.done).hasSize(3);
            ObjectNode item = world.read("a", "w");
            assertThat(item.path("status").asString()).isEqualTo("fail");
            assertThat(item.path("claimed").asBoolean()).isTrue();
            assertThat(item.path("attempts").asInt()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void otherKindsAreLeftAlone(World world) {
        try (world) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'scrape'}");
            world.advance(20);

            assertThat(world.done).isEmpty();
            assertThat(world.read("a", "w").has("claimed")).isFalse();
        }
    }
}
