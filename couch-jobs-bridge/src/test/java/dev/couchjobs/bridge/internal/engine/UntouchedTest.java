package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What might leave a document untouched for ever does so for a minute at most. */
class UntouchedTest {
    private static World world(boolean isShared) {
        return isShared ? World.shared(4, "a", "b") : World.replicated(Duration.ofMinutes(1), 4, "a", "b");
    }

    private static void put(World world, String id) {
        world.put("a", "{'_id': '" + id + "', 'creator': 'a', 'job': [{'target': 'a', 'do': 'good'}]}");
    }

    private static String status(World world, String id) {
        return world.read("a", id).path("job_status").asString("");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWatchThatIsLostDoesNotKeepADocumentFromBeingWritten(boolean isShared) {
        try (World world = world(isShared)) {
            put(world, "x");
            world.advance(20);
            assertThat(world.outRows("a")).isZero();

            world.sendWithoutWatch("a", "x");
            world.advance(70);
            assertThat(world.outRows("a")).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDocumentThatIsToldOfBeforeItCanBeReadIsLookedForAgain(boolean isShared) {
        try (World world = world(isShared)) {
            world.at("a").hide(id -> true);
            world.at("b").hide(id -> true);
            put(world, "x");
            world.advance(10);
            assertThat(status(world, "x")).isEmpty();

            world.at("a").hide(id -> false);
            world.at("b").hide(id -> false);
            world.advance(20);
            assertThat(status(world, "x")).isEqualTo("success");
            assertThat(world.done).containsExactly("a good");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theNextProcessLooksForItToo(boolean isShared) {
        try (World world = world(isShared)) {
            world.at("a").hide(id -> true);
            world.at("b").hide(id -> true);
            put(world, "x");
            world.advance(2);
            world.kill("a");
            world.kill("b");
            world.at("a").hide(id -> false);
            world.at("b").hide(id -> false);
            world.start("a");
            world.advance(20);
            assertThat(status(world, "x")).isEqualTo("success");
        }
    }
}
