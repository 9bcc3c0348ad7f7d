package dev.couchjobs.bench.thesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ThesisReportTest {
    private final ThesisReport report = new ThesisReport(
            Map.of("Java", "17"),
            "the servers of the tests, in memory",
            2,
            List.of(ThesisReport.Result.of(
                    Evaluation.TEST_3, TestedJoinMode.SHARED, 2, new EvaluationRun.RunResult(8.4, 6, 7))));

    @Test
    void itSaysHowMuchMoreThanTheIdealATestTookBesideTheThesis() {
        assertThat(report.toString())
                .contains(
                        "the servers of the tests, in memory",
                        "a database",
                        "8.0",
                        "8.40",
                        "5.0 %",
                        "6-7",
                        "15.0 %",
                        "6-8");
    }

    @Test
    void itIsWrittenAsJson(@TempDir Path directory) throws IOException {
        Path json = directory.resolve("not there").resolve("bridge.json");
        report.write(json);
        JsonNode read = JsonMapper.shared().readTree(json);
        assertThat(read.path("machine").path("Java").asString()).isEqualTo("17");
        JsonNode result = read.path("results").path(0);
        assertThat(result.path("joined").asString()).isEqualTo("SHARED");
        assertThat(result.path("seconds").asDouble()).isEqualTo(8.4);
        assertThat(result.path("ideal").asDouble()).isEqualTo(8);
    }

    @Test
    void theSameJobsOnMoreNodesAreAChart(@TempDir Path directory) throws IOException {
        List<ThesisReport.Result> results = Stream.of(TestedJoinMode.values())
                .flatMap(joinMode -> Stream.of(Evaluation.TEST_2_ONE, Evaluation.TEST_2_TWO, Evaluation.TEST_3)
                        .map(test -> ThesisReport.Result.of(test, joinMode, 1, new EvaluationRun.RunResult(10, 6, 7))))
                .toList();
        Path svg = directory.resolve("bridge.svg");
        new ThesisReport(Map.of("Java", "17"), "servers", 1, results).charts().plot(svg);
        assertThat(Files.readString(svg))
                .contains(
                        "nodes joined by a database at 2: 10.0",
                        "nodes joined by replication at 1: 10.0",
                        "the ideal at 1: 9.00",
                        "the thesis, had its steps been as long at 2: 6.20")
                .doesNotContain("at 3");
    }

    @Test
    void theCommandLineSetsTestsAndJoinModes() {
        ThesisSettings settings =
                ThesisSettings.parse("--tests", "test_1,test_4", "--joined", "replicated", "--step", "5");
        assertThat(settings.tests()).containsExactly(Evaluation.TEST_1, Evaluation.TEST_4);
        assertThat(settings.joinModes()).containsExactly(TestedJoinMode.REPLICATED);
        assertThat(settings.step()).isEqualTo(5);
        assertThat(ThesisSettings.parse().tests()).hasSize(6);
    }

    @Test
    void anErrorNamesTheWrongOptionAndListsAllOptions() {
        assertThatThrownBy(() -> ThesisSettings.parse("--help"))
                .hasMessageStartingWith("Do not understand --help; there");
        assertThatThrownBy(() -> ThesisSettings.parse("--tests", "test_9"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Do not understand --tests test_9; there are\n")
                .hasMessageContaining("test_2_two");
        assertThatThrownBy(() -> ThesisSettings.parse("--step", "0"))
                .hasMessageStartingWith("Do not understand --step 0; there");
    }
}
