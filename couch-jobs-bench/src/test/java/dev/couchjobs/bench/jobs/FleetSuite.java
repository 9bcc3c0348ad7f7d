package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bench.report.Measurement;
import dev.couchjobs.bench.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All that is measured of a fleet, as short as can be. */
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
                .extracting(Measurement::curve, Measurement::x)
                .hasSameSizeAs(report.measurements().stream().distinct().toList())
                .hasSize(FleetPhase.curves().size() * settings.processes().size());
        assertThat(value(report, FleetPhase.IDLE.curve(Metric.HELD).name())).isPositive();
        assertThat(value(report, FleetPhase.SPARSE.curve(Metric.TRANSACTIONS).name()))
                .as("add, claim and end")
                .isGreaterThanOrEqualTo(3);
        assertThat(value(report, FleetPhase.DENSE.curve(Metric.MEDIAN).name())).isPositive();
        assertThat(value(report, FleetPhase.WAITING.curve(Metric.MEDIAN).name()))
                .isPositive();
        assertThat(Report.read(directory)).isEqualTo(report);
    }

    private static double value(Report report, String curve) {
        return report.measurements().stream()
                .filter(measurement -> measurement.curve().equals(curve))
                .findFirst()
                .orElseThrow()
                .median();
    }
}
