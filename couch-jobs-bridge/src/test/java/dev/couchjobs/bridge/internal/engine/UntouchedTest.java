package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A document that a lost event leaves unprocessed is processed within a minute. */
class UntouchedTest {
    private static TestBridges bridges(boolean isShared) {
        return isShared ? TestBridges.shared(4, "a", "b") : TestBridges.replicated(Duration.ofMinutes(1), 4, "a", "b");
    }

    private static void put(TestBridges bridges, String id) {
        bridges.put("a", "{'_id': '" + id + "', 'creator': 'a', 'job': [{'target': 'a', 'do': 'good'}]}");
    }

    private static String status(TestBridges bridges, String id) {
        return bridges.read("a", id).path("job_status").asString("");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWatchThatIsLostDoesNotKeepADocumentFromBeingWritten(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            put(bridges, "x");
            bridges.advance(20);
            assertThat(bridges.outRows("a")).isZero();

            bridges.sendWithoutWatch("a", "x");
            bridges.advance(70);
            assertThat(bridges.outRows("a")).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDocumentThatIsToldOfBeforeItCanBeReadIsLookedForAgain(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            bridges.at("a").hide(id -> true);
            bridges.at("b").hide(id -> true);
            put(bridges, "x");
            bridges.advance(10);
            assertThat(status(bridges, "x")).isEmpty();

            bridges.at("a").hide(id -> false);
            bridges.at("b").hide(id -> false);
            bridges.advance(20);
            assertThat(status(bridges, "x")).isEqualTo("success");
            assertThat(bridges.done).containsExactly("a good");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theNextProcessLooksForItToo(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            bridges.at("a").hide(id -> true);
            bridges.at("b").hide(id -> true);
            put(bridges, "x");
            bridges.advance(2);
            bridges.kill("a");
            bridges.kill("b");
            bridges.at("a").hide(id -> false);
            bridges.at("b").hide(id -> false);
            bridges.start("a");
            bridges.advance(20);
            assertThat(status(bridges, "x")).isEqualTo("success");
        }
    }
}
