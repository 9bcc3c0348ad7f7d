package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bench.report.Measurement;
import dev.couchjobs.bench.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs all phases of a fleet with the shortest lengths. */
abstract class FleetSuite {
    private final SystemKind system;

    FleetSuite(SystemKind system) {
        this.system = system;
    }

    @Test
    void everyPhaseIsMeasuredAndNoJobIsLostOrRunTwice(@TempDir Path directory)
            throws IOException, InterruptedException {
        FleetSettings settings = FleetSettings.parse(
                "--smoke", "--systems", system.name(), "--types", "2", "--output", directory.toString());

        Report report = FleetBenchmarks.run(settings);

        assertThat(report.faults()).isEmpty();
        assertThat(report.measurements())
                .extracting(Measurement::chart, Measurement::x)
                .hasSameSizeAs(report.measurements().stream().distinct().toList())
                .hasSize(FleetPhase.charts().size() * settings.processes().size());
        assertThat(value(report, FleetPhase.IDLE.chart(Metric.HELD).name())).isPositive();
        assertThat(value(report, FleetPhase.SPARSE.chart(Metric.TRANSACTIONS).name()))
                .as("add, claim and end")
                .isGreaterThanOrEqualTo(3);
        assertThat(value(report, FleetPhase.DENSE.chart(Metric.MEDIAN).name())).isPositive();
        assertThat(value(report, FleetPhase.WAITING.chart(Metric.MEDIAN).name()))
                .isPositive();
        assertThat(Report.read(directory)).isEqualTo(report);
    }

    private static double value(Report report, String chart) {
        return report.measurements().stream()
                .filter(measurement -> measurement.chart().equals(chart))
                .findFirst()
                .orElseThrow()
                .median();
    }
}
