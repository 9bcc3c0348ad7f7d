package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bench.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs all benchmarks of jobs with the shortest lengths. */
abstract class SmokeSuite {
    private final String systems;
    private final int count;

    SmokeSuite(SystemKind... systems) {
        this.systems =
                String.join(",", Arrays.stream(systems).map(SystemKind::name).toList());
        count = systems.length;
    }

    @Test
    void everyChartIsMeasuredAndNoJobIsLostOrRunTwice(@TempDir Path directory)
            throws IOException, InterruptedException {
        JobSettings settings = JobSettings.parse(
                "--smoke",
                "--seconds",
                "0.1",
                "--systems",
                systems,
                "--directory",
                directory.toString(),
                "--output",
                directory.resolve("output").toString());
        Report report = JobBenchmarks.run(settings);
        assertThat(report.faults()).isEmpty();
        assertThat(report.systems()).hasSize(count);
        for (BenchmarkScenario scenario : BenchmarkScenario.values()) {
            String chart = scenario.chart(scenario.metrics().get(0)).name();
            assertThat(report.measurements())
                    .filteredOn(measurement -> measurement.chart().equals(chart))
                    .as(chart)
                    .hasSize(scenario.smokePoints().size() * count)
                    .allSatisfy(measurement -> {
                        assertThat(measurement.jobs()).isPositive();
                        assertThat(measurement.median()).isPositive();
                    });
        }
        assertThat(Report.read(settings.output())).isEqualTo(report);
    }
}
