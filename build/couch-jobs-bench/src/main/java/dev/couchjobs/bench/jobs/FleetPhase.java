package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.report.Chart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The phases in which a fleet is measured, in this order. */
enum FleetPhase {
    /** A type that has never had a job. */
    IDLE("Unused type", Divisor.SECOND, ""),
    /** A restart of all processes, with a job for each that was added in between. */
    RESTART("Restart of all", Divisor.PROCESS, "from restart to start"),
    /** Jobs that arrive one at a time. */
    SPARSE("One job at a time", Divisor.JOB, "from add to start"),
    /** Many jobs that arrive at once. */
    DENSE("Ten jobs for each process at once", Divisor.JOB, "from add to start"),
    /** A type in use without pending jobs. */
    USED("Type in use, no jobs", Divisor.SECOND, ""),
    /** Each process waits for the result of a job, while other jobs are added and run. */
    WAITING("Waiting for a job each", Divisor.SECOND, "from end to result");

    private enum Divisor {
        SECOND("a second and process"),
        PROCESS("a process"),
        JOB("a job");

        private final String unit;

        Divisor(String unit) {
            this.unit = unit;
        }
    }

    private final String title;
    private final Divisor divisor;
    private final String delay;

    FleetPhase(String title, Divisor divisor, String delay) {
        this.title = title;
        this.divisor = divisor;
        this.delay = delay;
    }

    List<Metric> metrics() {
        List<Metric> metrics = new ArrayList<>(List.of(Metric.TRANSACTIONS, Metric.READS, Metric.WATCHES));
        if (divisor == Divisor.SECOND) {
            metrics.add(Metric.HELD);
        }
        if (!delay.isEmpty()) {
            metrics.addAll(List.of(Metric.MEDIAN, Metric.P99));
        }
        return metrics;
    }

    Chart chart(Metric metric) {
        boolean isDelay = metric == Metric.MEDIAN || metric == Metric.P99;
        return new Chart(
                name().toLowerCase(Locale.ROOT) + "-" + metric.word,
                title + (isDelay ? ": " + delay : "") + metric.suffix,
                "processes",
                metric.unit.isEmpty() ? divisor.unit : metric.unit,
                false);
    }

    static List<Chart> charts() {
        return Arrays.stream(values())
                .flatMap(phase -> phase.metrics().stream().map(phase::chart))
                .toList();
    }
}
