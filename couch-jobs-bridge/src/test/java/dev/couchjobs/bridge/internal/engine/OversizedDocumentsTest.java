package dev.couchjobs.bridge.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.NodeDirectory;
import dev.couchjobs.bridge.internal.document.ParsedDocument;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.ObjectNode;

/** Documents that a bridge cannot read or store, among others that it can. */
class OversizedDocumentsTest {
    private static final DocumentReader READER = new DocumentReader(NodeDirectory.of("a", "b"));
    private static final String HUGE = "9".repeat(400);

    /** Documents by name, with the reason with which each fails. */
    private static final Map<String, String> POISON = Map.ofEntries(
            Map.entry("an id too long for a job", job("x".repeat(1_000), "{'target': 'a', 'do': 'never'}")),
            Map.entry("an id too long for any key", job("y".repeat(9_990), "{'target': 'a', 'do': 'never'}")),
            Map.entry(
                    "a time that no number holds",
                    job("time", "{'target': 'a', 'do': 'never', 'timeout': " + HUGE + "}")),
            Map.entry(
                    "an index that no number holds",
                    job("index", "{'target': 'a', 'do': 'never'}], 'step': " + HUGE + ", 'x': [1")),
            Map.entry(
                    "a date that no number holds",
                    "{'_id': 'date', 'type': 'WorkItem', 'worker': 'email', 'date': " + HUGE + "}"),
            Map.entry(
                    "an item with an id too long for a job",
                    "{'_id': '" + "z".repeat(1_000) + "', 'type': 'WorkItem', 'worker': 'email'}"),
            Map.entry(
                    "deeper than anybody writes",
                    job(
                            "deep",
                            "{'target': 'a', 'kind': 'java', 'do': {'handler': 'x', 'data': " + "[".repeat(400)
                                    + "]".repeat(400) + "}}")),
            Map.entry("a step that took a million years", job("years", """
                    {'target': 'a', 'do': 'never', 'step_status': 'finished', 'executioner': 'Node: a, worker: 1',
                     'started_at': '-999999-01-01T00:00:00Z', 'finished_at': '2020-01-01T00:00:00Z'},
                    {'target': 'a', 'do': 'never'}""")));

    private static String job(String id, String steps) {
        return "{'_id': '" + id + "', 'creator': 'a', 'job': [" + steps + "]}";
    }

    static Stream<Arguments> poisons() {
        return POISON.keySet().stream().flatMap(what -> Stream.of(Arguments.of(what, false), Arguments.of(what, true)));
    }

    private static TestBridges bridges(boolean isShared) {
        return isShared ? TestBridges.shared(2, "a", "b") : TestBridges.replicated(Duration.ofMinutes(1), 2, "a", "b");
    }

    @ParameterizedTest
    @MethodSource("poisons")
    void aDocumentThatCannotBeRunSaysSoAndStopsNobody(String what, boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            String poison = String.valueOf(POISON.get(what));
            putBetweenOthers(bridges, poison);
            assertThatOthersWereDone(bridges, 2);
            ObjectNode document =
                    bridges.read("a", TestBridges.json(poison).path("_id").asString());
            assertThat(document.path("job_status")
                            .asString(document.path("status").asString("")))
                    .isIn("failed", "fail");
            assertThat(document.path("reason").asString()).isNotBlank();

            bridges.restart("a");
            bridges.put("a", job("later", "{'target': 'any', 'do': 'good'}"));
            assertThatOthersWereDone(bridges, 3);
        }
    }

    private static void putBetweenOthers(TestBridges bridges, String... documents) {
        List<String> all = new ArrayList<>(List.of(documents));
        all.add(0, job("good-1", "{'target': 'any', 'do': 'good'}"));
        all.add(job("good-2", "{'target': 'b', 'do': 'good'}"));
        bridges.putAll("a", all);
    }

    private static void assertThatOthersWereDone(TestBridges bridges, int count) {
        bridges.advance(20);
        assertThat(bridges.done.stream().map(line -> line.substring(2)))
                .hasSize(count)
                .containsOnly("good");
    }

    @ParameterizedTest
    @MethodSource("joined")
    void aNumberThatNoComputerCountsWithIsHandedOn(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            putBetweenOthers(
                    bridges,
                    job("number", "{'target': 'a', 'kind': 'java', 'do': {'handler': 'good', 'data': " + HUGE + "}}"));
            assertThatOthersWereDone(bridges, 3);
            assertThat(bridges.read("a", "number").path("job_status").asString())
                    .isEqualTo("success");
        }
    }

    static Stream<Boolean> joined() {
        return Stream.of(false, true);
    }

    @ParameterizedTest
    @MethodSource("joined")
    void aPlanThatIsAsLargeAsMayBeIsRunWhateverIsWrittenBesides(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            putBetweenOthers(bridges, largestJob());
            bridges.advance(60);
            assertThat(bridges.read("a", "large").path("job_status").asString()).isEqualTo("success");
        }
    }

    @ParameterizedTest
    @MethodSource("joined")
    void documentsThatAreTooMuchForOneTransactionAreTakenInAllTheSame(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            List<String> jobs = new ArrayList<>();
            String words = "x".repeat(60_000);
            String much = "{'command': 'x', 'environment': {'a': '" + words + "', 'b': '" + words + "'}}";
            for (int i = 0; i < 100; i++) {
                jobs.add(job("big-" + i, "{'target': 'a', 'do': 'good', 'alt_do': " + much + "}"));
            }
            bridges.putAll("a", jobs);
            bridges.advance(100);
            assertThat(bridges.done).hasSize(100);
            assertThat(bridges.at("a").ids())
                    .filteredOn(id -> id.startsWith("big"))
                    .allSatisfy(id -> assertThat(
                                    bridges.read("a", id).path("job_status").asString())
                            .isEqualTo("success"));
        }
    }

    @ParameterizedTest
    @MethodSource("joined")
    void whateverElseADocumentDoesToABridgeTheOthersAreDoneAndItIsTriedAgainByTheNextProcess(boolean isShared) {
        try (TestBridges bridges = bridges(isShared)) {
            bridges.damageStore("a", "poison");
            putBetweenOthers(bridges, job("poison", "{'target': 'any', 'do': 'good'}"));
            assertThatOthersWereDone(bridges, 2);

            bridges.repairStore("a", "poison");
            bridges.restart("a");
            assertThatOthersWereDone(bridges, 3);
            assertThat(bridges.read("a", "poison").path("job_status").asString())
                    .isEqualTo("success");
        }
    }

    /** {@return a job with the largest plan that is accepted, to the byte} */
    private static String largestJob() {
        int fits = 0;
        int most = 200_000;
        while (most - fits > 1) {
            int length = (fits + most) / 2;
            boolean isAccepted = READER.read(TestBridges.json(jobOf(length))) instanceof ParsedDocument.Job;
            fits = isAccepted ? length : fits;
            most = isAccepted ? most : length;
        }
        return jobOf(fits);
    }

    private static String jobOf(int letters) {
        StringBuilder steps = new StringBuilder("{'target': ['a', 'b'], 'do': 'good'}");
        for (int i = 0; i < 15; i++) {
            steps.append(", {'target': 'b', 'do': 'good ")
                    .append("x".repeat(60_000))
                    .append("'}");
        }
        for (int left = letters; left > 0; left -= 60_000) {
            steps.append(", {'target': 'b', 'do': 'good', 'alt_do': '")
                    .append("x".repeat(Math.min(left, 60_000)))
                    .append("'}");
        }
        return job("large", steps.toString());
    }
}
