package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.report.Curve;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** What is measured, and at which points. */
enum BenchmarkScenario {
    /** Adding. */
    ADD("Adding jobs, 16 producers", "jobs in each transaction"),
    /** Working off what is there. */
    WORKERS("Running jobs, by workers", "workers, each an instance of its own"),
    /** Working off little and much. */
    BACKLOG("Running jobs, by backlog", "jobs pending"),
    /** Working off what is heavy. */
    PAYLOAD("Running jobs, by payload", "bytes in each job"),
    /** Working off many sorts. */
    TYPES("Running jobs, by types", "types of jobs, all run by one worker"),
    /** From when a job was to be added to its start. */
    LATENCY("From add to start", "jobs offered a second");

    private final String title;
    private final String x;

    BenchmarkScenario(String title, String x) {
        this.title = title;
        this.x = x;
    }

    Experiment experiment(int point) {
        return switch (this) {
            case ADD -> new Adding(point);
            case WORKERS -> Draining.many(Load.of(point));
            case BACKLOG -> new Draining(Load.of(1), point);
            case PAYLOAD -> Draining.many(new Load(1, 1, point));
            case TYPES -> Draining.many(new Load(1, point, Load.PAYLOAD_BYTES));
            case LATENCY -> new Arriving(point);
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
            case WORKERS -> List.of(Metric.RATE, Metric.PROCESSOR);
            case LATENCY -> List.of(Metric.MEDIAN, Metric.P99);
            default -> List.of(Metric.RATE);
        };
    }

    /** What it is called on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    Curve curve(Metric metric) {
        return new Curve(word() + "-" + metric.word, title + metric.suffix, x, metric.unit, metric.isBetterHigher);
    }

    static List<Curve> curves(Collection<BenchmarkScenario> scenarios) {
        return scenarios.stream()
                .flatMap(scenario -> scenario.metrics().stream().map(scenario::curve))
                .toList();
    }
}
