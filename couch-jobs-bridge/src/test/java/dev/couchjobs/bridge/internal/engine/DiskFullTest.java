package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Work while the bridge's own storage fails. */
class DiskFullTest {
    static List<TestBridges> bridgeses() {
        return List.of(TestBridges.shared(2, "a"), TestBridges.replicated(Duration.ofMinutes(1), 2, "a"));
    }

    private static void put(TestBridges bridges, String id, String command) {
        bridges.put("a", "{'_id': '" + id + "', 'creator': 'a', 'job': [{'target': 'a', 'do': '" + command + "'}]}");
    }

    private static String status(TestBridges bridges, String id) {
        return bridges.read("a", id).path("job_status").asString("");
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aStepThatEndsMeanwhileIsNotDoneAgain(TestBridges bridges) {
        try (bridges) {
            put(bridges, "x", "sleep 5");
            bridges.advance(2);
            bridges.isDiskFull = true;
            bridges.advance(60);
            bridges.isDiskFull = false;
            bridges.advance(60);

            assertThat(bridges.done).containsExactly("a sleep 5");
            assertThat(status(bridges, "x")).isEqualTo("success");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aTryThatFailsMeanwhileIsCounted(TestBridges bridges) {
        try (bridges) {
            put(bridges, "x", "fail");
            bridges.isDiskFull = true;
            bridges.advance(60);
            bridges.isDiskFull = false;
            bridges.advance(60);

            assertThat(bridges.done).containsExactly("a fail");
            assertThat(status(bridges, "x")).isEqualTo("failed");
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aWorkItemThatIsDoneMeanwhileIsNotDoneAgain(TestBridges bridges) {
        try (bridges) {
            bridges.put("a", "{'_id': 'w', 'type': 'WorkItem', 'worker': 'email', 'do': 'sleep 5'}");
            bridges.advance(2);
            bridges.isDiskFull = true;
            bridges.advance(60);
            bridges.isDiskFull = false;
            bridges.advance(60);

            assertThat(bridges.done).containsExactly("a sleep 5");
            assertThat(bridges.at("a").read("w").current()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("bridgeses")
    void aDocumentThatComesMeanwhileIsTakenInAfterwards(TestBridges bridges) {
        try (bridges) {
            bridges.advance(2);
            bridges.isDiskFull = true;
            put(bridges, "x", "good");
            bridges.advance(60);
            assertThat(bridges.done).isEmpty();

            bridges.isDiskFull = false;
            bridges.advance(60);
            assertThat(bridges.done).containsExactly("a good");
            assertThat(status(bridges, "x")).isEqualTo("success");
        }
    }
}
