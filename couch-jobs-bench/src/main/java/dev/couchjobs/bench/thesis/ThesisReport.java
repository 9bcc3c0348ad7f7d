package dev.couchjobs.bench.thesis;

import dev.couchjobs.bench.Table;
import dev.couchjobs.bench.report.Curve;
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
 * What the tests took.
 *
 * @param machine what they were done on
 * @param servers the CouchDB servers
 * @param step how many seconds a step took
 * @param results what came out, in the order in which it was measured
 */
record ThesisReport(Map<String, String> machine, String servers, double step, List<Result> results) {
    private static final int JOBS_OF_TEST_2 = 6;

    /**
     * What one test took, in one way of joining nodes.
     *
     * @param ideal how many seconds it would have taken if nothing but the steps took any
     * @param thesisOverIdeal how much more than that the thesis's took, as a part of it
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
                    runResult.fewest(),
                    runResult.most(),
                    test.thesisSeconds / (test.idealRounds() * Evaluation.THESIS_STEP) - 1,
                    test.thesisRevisions);
        }
    }

    void write(Path json) throws IOException {
        ResultFile.write(
                json, JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n");
    }

    /** {@return test 2 as a curve: how long the same jobs take on more and more nodes} */
    Report curves() {
        Curve curve = new Curve("nodes", "6 jobs of 3 steps of " + step + " s", "nodes", "seconds", false);
        Map<String, String> systems = new LinkedHashMap<>();
        List<Measurement> measurements = new ArrayList<>();
        results.stream().filter(each -> each.jobs == JOBS_OF_TEST_2).forEach(each -> {
            Map<String, Double> seconds = new LinkedHashMap<>();
            seconds.put("nodes joined by " + way(each.joined), each.seconds);
            seconds.put("the ideal", each.ideal);
            seconds.put("the thesis, had its steps been as long", each.ideal * (1 + each.thesisOverIdeal));
            seconds.forEach((system, took) -> {
                systems.put(system, servers);
                measurements.add(Measurement.of(curve.name(), system, each.nodes, List.of(took), 0, 0, 0));
            });
        });
        return new Report(machine, Map.of("Servers", servers), systems, List.of(curve), measurements);
    }

    private static String way(TestedJoinMode joined) {
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
        for (Result each : results) {
            table.add(
                    each.test,
                    way(each.joined),
                    String.format(Locale.ROOT, "%.1f", each.ideal),
                    String.format(Locale.ROOT, "%.2f", each.seconds),
                    percent(each.seconds / each.ideal - 1),
                    each.fewestUpdates + "-" + each.mostUpdates,
                    percent(each.thesisOverIdeal),
                    each.thesisUpdates);
        }
        return table.toString();
    }

    private static String percent(double part) {
        return String.format(Locale.ROOT, "%.1f %%", part * 100);
    }
}
