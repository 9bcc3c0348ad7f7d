package dev.couchjobs.bench.thesis;

import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.report.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Repeats the evaluation of the thesis with both join modes, and prints the times and those of the thesis.
 */
public final class ThesisBenchmarks {
    private ThesisBenchmarks() {}

    /**
     * Runs the tests.
     *
     * @param words the options
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws IOException if a test fails
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String... words) throws IOException, InterruptedException {
        ThesisSettings settings = ThesisSettings.parse(words);
        try (Servers servers = new Servers(3)) {
            ThesisReport report = measure(servers, settings);
            Path output = settings.output().toAbsolutePath();
            Path json = output.resolve("bridge.json");
            report.write(json);
            Path plot = output.resolve("bridge.svg");
            report.charts().plot(plot);
            System.out.println(report);
            System.out.println("All figures are in " + json + ", a chart in " + plot);
        }
    }

    static ThesisReport measure(Servers servers, ThesisSettings settings) throws IOException, InterruptedException {
        List<ThesisReport.Result> results = new ArrayList<>();
        for (TestedJoinMode testedJoinMode : settings.joinModes()) {
            var unused = runTest(servers, Evaluation.TEST_1, testedJoinMode, 0.1); // warms up
            for (Evaluation test : settings.tests()) {
                EvaluationRun.RunResult runResult = runTest(servers, test, testedJoinMode, settings.step());
                results.add(ThesisReport.Result.of(test, testedJoinMode, settings.step(), runResult));
                System.err.println(test + " " + testedJoinMode + " " + runResult);
            }
        }
        return new ThesisReport(
                Machine.describe(Path.of(System.getProperty("java.io.tmpdir"))),
                servers.describe(),
                settings.step(),
                results);
    }

    private static EvaluationRun.RunResult runTest(
            Servers servers, Evaluation test, TestedJoinMode testedJoinMode, double step)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("thesis");
        String name = "thesis-" + Long.toHexString(System.nanoTime());
        try (EvaluationNodes nodes = new EvaluationNodes(servers, testedJoinMode, test.nodes, name, directory)) {
            nodes.awaitReplication();
            return new EvaluationRun(nodes.creator()).run(test, step);
        }
    }
}
