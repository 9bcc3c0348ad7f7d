package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of work while the bridge's own storage takes nothing. */
class DiskFullTest {
    static List<World> worlds() {
        return List.of(World.shared(2, "a"), World.replicated(Duration.ofMinutes(1), 2, "a"));
    }

    private static void put(World world, String id, String command) {
        world.put("a", "{'_id': '" + id + "', 'creator': 'a', 'job': [{'target': 'a', 'do': '" + command + "'}]}");
    }

    private static String status(World world, String id) {
        return world.read("a", id).path("job_status").asString("");
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aStepThatEndsMeanwhileIsNotDoneAgain(World world) {
        try (world) {
            put(world, "x", "sleep 5");
            world.advance(2);
            world.isDiskFull = true;
            world.advance(60);
            world.isDiskFull = false;
            world.advance(60);

            assertThat(world.done).containsExactly("a sleep 5");
            assertThat(status(world, "x")).isEqualTo("success");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aTryThatFailsMeanwhileIsCounted(World world) {
        try (world) {
            put(world, "x", "fail");
            world.isDiskFull = true;
            world.advance(60);
            world.isDiskFull = false;
            world.advance(60);

            assertThat(world.done).containsExactly("a fail");
            assertThat(status(world, "x")).isEqualTo("failed");
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aWorkItemThatIsDoneMeanwhileIsNotDoneAgain(World world) {
        try (world) {
            world.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 5'}");
            world.advance(2);
            world.isDiskFull = true;
            world.advance(60);
            world.isDiskFull = false;
            world.advance(60);

            assertThat(world.done).containsExactly("a sleep 5");
            assertThat(world.at("a").read("w").current()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("worlds")
    void aDocumentThatComesMeanwhileIsTakenInAfterwards(World world) {
        try (world) {
            world.advance(2);
            world.isDiskFull = true;
            put(world, "x", "good");
            world.advance(60);
            assertThat(world.done).isEmpty();

            world.isDiskFull = false;
            world.advance(60);
            assertThat(world.done).containsExactly("a good");
            assertThat(status(world, "x")).isEqualTo("success");
        }
    }
}
