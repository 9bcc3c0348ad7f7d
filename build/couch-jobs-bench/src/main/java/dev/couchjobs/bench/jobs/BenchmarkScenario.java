package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.report.Chart;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** The benchmarks of jobs, with their points. */
enum BenchmarkScenario {
    /** Adds jobs, in transactions of several sizes. */
    ADD("Adding jobs, 16 producers", "jobs in each transaction"),
    /** Runs a backlog with several numbers of workers. */
    WORKERS("Running jobs, by workers", "workers, each an instance of its own"),
    /** Runs backlogs of several sizes with one worker. */
    BACKLOG("Running jobs, by backlog", "jobs pending"),
    /** Runs jobs with payloads of several sizes. */
    PAYLOAD("Running jobs, by payload", "bytes in each job"),
    /** Runs jobs of several numbers of types. */
    TYPES("Running jobs, by types", "types of jobs, all run by one worker"),
    /** Measures the latency from add to start at several arrival rates. */
    LATENCY("From add to start", "jobs offered a second");

    private final String title;
    private final String x;

    BenchmarkScenario(String title, String x) {
        this.title = title;
        this.x = x;
    }

    Experiment experiment(int point) {
        return switch (this) {
            case ADD -> new AddThroughput(point);
            case WORKERS -> DrainThroughput.ofLargeBacklog(Load.of(point));
            case BACKLOG -> new DrainThroughput(Load.of(1), point);
            case PAYLOAD -> DrainThroughput.ofLargeBacklog(new Load(1, 1, point));
            case TYPES -> DrainThroughput.ofLargeBacklog(new Load(1, point, Load.PAYLOAD_BYTES));
            case LATENCY -> new OpenLoopLatency(point);
        };
    }

    List<Integer> points() {
        return switch (this) {
            case ADD -> List.of(1, 10, 100);
            case WORKERS -> List.of(1, 2, 4, 8, 16, 32, 64);
            case BACKLOG -> List.of(1_000, 10_000, 100_000, 1_000_000);
            case PAYLOAD -> List.of(100, 1_000, 10_000, 100_000);
            case TYPES -> List.of(1, 10, 100, 1_000);
            case LATENCY -> List.of(50, 500, 2_000);
        };
    }

    /** The points of a short run. */
    List<Integer> smokePoints() {
        return switch (this) {
            case ADD -> List.of(1, 100);
            case WORKERS -> List.of(1, 4);
            case BACKLOG -> List.of(1_000, 5_000);
            case PAYLOAD -> List.of(100, 10_000);
            case TYPES -> List.of(1, 10);
            case LATENCY -> List.of(50);
        };
    }

    List<Metric> metrics() {
        return switch (this) {
            case WORKERS -> List.of(Metric.RATE, Metric.CPU_TIME);
            case LATENCY -> List.of(Metric.MEDIAN, Metric.P99);
            default -> List.of(Metric.RATE);
        };
    }

    /** The name on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    Chart chart(Metric metric) {
        return new Chart(word() + "-" + metric.word, title + metric.suffix, x, metric.unit, metric.isBetterHigher);
    }

    static List<Chart> charts(Collection<BenchmarkScenario> scenarios) {
        return scenarios.stream()
                .flatMap(scenario -> scenario.metrics().stream().map(scenario::chart))
                .toList();
    }
}
