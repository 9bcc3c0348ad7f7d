package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.report.Curve;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a fleet is measured in, in this order. */
enum FleetPhase {
    /** There was never a job. */
    IDLE("Unused type", Each.SECOND, ""),
    /** With a job for each process that was added while none was there. */
    RESTART("Restart of all", Each.PROCESS, "from restart to start"),
    /** Sparse arrivals. */
    SPARSE("One job at a time", Each.JOB, "from add to start"),
    /** Dense arrivals. */
    DENSE("Ten jobs for each process at once", Each.JOB, "from add to start"),
    /** There were jobs just now. */
    USED("Type in use, no jobs", Each.SECOND, ""),
    /** Each process waits for a job of its own, while others come and go. */
    WAITING("Waiting for a job each", Each.SECOND, "from end to result");

    private enum Each {
        SECOND("a second and process"),
        PROCESS("a process"),
        JOB("a job");

        private final String unit;

        Each(String unit) {
            this.unit = unit;
        }
    }

    private final String title;
    private final Each each;
    private final String delay;

    FleetPhase(String title, Each each, String delay) {
        this.title = title;
        this.each = each;
        this.delay = delay;
    }

    List<Metric> metrics() {
        List<Metric> metrics = new ArrayList<>(List.of(Metric.TRANSACTIONS, Metric.READS, Metric.WATCHES));
        if (each == Each.SECOND) {
            metrics.add(Metric.HELD);
        }
        if (!delay.isEmpty()) {
            metrics.addAll(List.of(Metric.MEDIAN, Metric.P99));
        }
        return metrics;
    }

    Curve curve(Metric metric) {
        boolean isDelay = metric == Metric.MEDIAN || metric == Metric.P99;
        return new Curve(
                name().toLowerCase(Locale.ROOT) + "-" + metric.word,
                title + (isDelay ? ": " + delay : "") + metric.suffix,
                "processes",
                metric.unit.isEmpty() ? each.unit : metric.unit,
                false);
    }

    static List<Curve> curves() {
        return Arrays.stream(values())
                .flatMap(phase -> phase.metrics().stream().map(phase::curve))
                .toList();
    }
}
