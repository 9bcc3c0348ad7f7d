package dev.couchjobs.bench.thesis;

import dev.couchjobs.bench.Table;
import dev.couchjobs.bench.report.Chart;
import dev.couchjobs.bench.report.Measurement;
import dev.couchjobs.bench.report.Report;
import dev.couchjobs.bench.report.ResultFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * The results of the tests.
 *
 * @param machine the machine: see {@link dev.couchjobs.bench.report.Machine}
 * @param servers the CouchDB servers
 * @param step the duration of a step in seconds
 * @param results the results, in the order of the tests
 */
record ThesisReport(Map<String, String> machine, String servers, double step, List<Result> results) {
    private static final int JOBS_OF_TEST_2 = 6;

    /**
     * The result of one test with one join mode.
     *
     * @param joined the join mode
     * @param ideal the seconds of the test if only the steps took time
     * @param thesisOverIdeal the excess of the time in the thesis over its ideal, as a fraction of the ideal
     */
    record Result(
            String test,
            int nodes,
            int jobs,
            TestedJoinMode joined,
            double ideal,
            double seconds,
            int fewestUpdates,
            int mostUpdates,
            double thesisOverIdeal,
            String thesisUpdates) {

        static Result of(Evaluation test, TestedJoinMode joined, double step, EvaluationRun.RunResult runResult) {
            return new Result(
                    test.title,
                    test.nodes,
                    test.jobs,
                    joined,
                    test.idealRounds() * step,
                    runResult.seconds(),
                    runResult.fewestUpdates(),
                    runResult.mostUpdates(),
                    test.thesisSeconds / (test.idealRounds() * Evaluation.THESIS_STEP) - 1,
                    test.thesisRevisions);
        }
    }

    void write(Path json) throws IOException {
        ResultFile.write(
                json, JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n");
    }

    /** {@return test 2 as a chart: the time of the same jobs by the number of nodes} */
    Report charts() {
        Chart chart = new Chart("nodes", "6 jobs of 3 steps of " + step + " s", "nodes", "seconds", false);
        Map<String, String> systems = new LinkedHashMap<>();
        List<Measurement> measurements = new ArrayList<>();
        results.stream().filter(result -> result.jobs == JOBS_OF_TEST_2).forEach(result -> {
            Map<String, Double> seconds = new LinkedHashMap<>();
            seconds.put("nodes joined by " + modeLabel(result.joined), result.seconds);
            seconds.put("the ideal", result.ideal);
            seconds.put("the thesis, had its steps been as long", result.ideal * (1 + result.thesisOverIdeal));
            seconds.forEach((system, time) -> {
                systems.put(system, servers);
                measurements.add(Measurement.of(chart.name(), system, result.nodes, List.of(time), 0, 0, 0));
            });
        });
        return new Report(machine, Map.of("Servers", servers), systems, List.of(chart), measurements);
    }

    private static String modeLabel(TestedJoinMode joined) {
        return joined == TestedJoinMode.SHARED ? "a database" : "replication";
    }

    @Override
    public String toString() {
        Table table = new Table(
                "test (" + servers + ", steps of " + step + " s)",
                "nodes joined by",
                "ideal s",
                "s",
                "over ideal",
                "updates",
                "thesis: over ideal",
                "updates");
        for (Result result : results) {
            table.add(
                    result.test,
                    modeLabel(result.joined),
                    String.format(Locale.ROOT, "%.1f", result.ideal),
                    String.format(Locale.ROOT, "%.2f", result.seconds),
                    percent(result.seconds / result.ideal - 1),
                    result.fewestUpdates + "-" + result.mostUpdates,
                    percent(result.thesisOverIdeal),
                    result.thesisUpdates);
        }
        return table.toString();
    }

    private static String percent(double part) {
        return String.format(Locale.ROOT, "%.1f %%", part * 100);
    }
}
