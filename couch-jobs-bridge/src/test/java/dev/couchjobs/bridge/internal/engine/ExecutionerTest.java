package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a document says of the worker that runs a step. */
class ExecutionerTest {
    private static final int WORKERS = 5;
    private static final Pattern EXECUTIONER = Pattern.compile("Node: a, worker: (\\d+) \\(process a, claim \\d+\\)");

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void stepsThatRunAtOnceNameDifferentWorkersAndAFreeNumberIsUsedAgain(boolean isShared) {
        try (TestBridges bridges = isShared
                ? TestBridges.shared(WORKERS, "a", "b")
                : TestBridges.replicated(Duration.ofMinutes(1), WORKERS, "a", "b")) {
            List<String> documents = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                documents.add(document("x" + i, i == 2 ? 10 : 60));
            }
            bridges.putAll("a", documents);
            bridges.advance(3);

            List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                numbers.add(worker(bridges, "x" + i));
            }
            assertThat(numbers).containsExactlyInAnyOrder(1, 2, 3, 4, 5);

            bridges.advance(10);
            bridges.put("a", document("y", 10));
            bridges.advance(3);
            assertThat(worker(bridges, "y")).isEqualTo(numbers.get(2));

            bridges.advance(100);
            bridges.put("a", document("z", 10));
            bridges.advance(3);
            assertThat(worker(bridges, "z")).isEqualTo(1);
        }
    }

    private static String document(String id, int seconds) {
        return "{'_id': '" + id + "', 'creator': 'a', 'job': [{'target': 'a', 'do': 'sleep " + seconds + "'}]}";
    }

    private static int worker(TestBridges bridges, String id) {
        String executioner = bridges.read("a", id).at("/job/0/executioner").asString();
        Matcher matcher = EXECUTIONER.matcher(executioner);
        assertThat(matcher.matches()).as(executioner).isTrue();
        return Integer.parseInt(matcher.group(1));
    }
}
