package dev.couchjobs.bench.soak;

import dev.couchjobs.bench.report.TimeChart;
import dev.couchjobs.bench.report.TimePlot;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Draws a soak over time. */
final class SoakPlot {
    /** Worker processes are killed too often to be told apart. */
    private static final Set<Fault> MARKED = EnumSet.of(Fault.SERVER, Fault.DISK, Fault.CLUSTER);

    private final SoakReport report;

    private SoakPlot(SoakReport report) {
        this.report = report;
    }

    static String svg(SoakReport report) {
        SoakPlot plot = new SoakPlot(report);
        List<TimeChart> charts = List.of(
                plot.chart("From due to start, ms", true, SoakMetric.START_P50, SoakMetric.START_P99),
                plot.chart("Jobs added and not ended", true, SoakMetric.OPEN),
                plot.chart(
                        "Memory, MiB",
                        false,
                        SoakMetric.SERVER_MEMORY,
                        SoakMetric.WORKER_MEMORY,
                        SoakMetric.CLUSTER_MEMORY,
                        SoakMetric.SERVER_HEAP),
                plot.chart("Open files", false, SoakMetric.SERVER_FILES, SoakMetric.WORKER_FILES),
                plot.chart("Threads", false, SoakMetric.SERVER_THREADS, SoakMetric.WORKER_THREADS),
                plot.chart("Rows", false, SoakMetric.ROWS));
        List<Double> marks = report.events().stream()
                .filter(event -> MARKED.contains(event.fault()))
                .map(FaultRun.Event::minute)
                .toList();
        String note = "Vertical lines: a server or a process of the cluster is killed, or the disk is full";
        return TimePlot.svg("couch-jobs, a soak", charts, marks, report.minutes(), note);
    }

    private TimeChart chart(String title, boolean isLogarithmic, SoakMetric... metrics) {
        return new TimeChart(
                title,
                isLogarithmic,
                Stream.of(metrics)
                        .map(metric -> new TimeChart.Line(
                                metric.label,
                                report.samples().stream()
                                        .filter(sample -> sample.figures().containsKey(metric))
                                        .map(sample -> new TimeChart.Point(
                                                sample.minute(),
                                                Objects.requireNonNull(
                                                        sample.figures().get(metric))))
                                        .toList()))
                        .filter(line -> !line.points().isEmpty())
                        .toList());
    }
}
