package dev.couchjobs.bench.cluster;

import dev.couchjobs.bench.Table;
import java.time.Duration;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * What was measured at a point.
 *
 * @param jobs how many jobs were added and run
 * @param time how long that took
 * @param counters what the cluster counted meanwhile
 * @param share the part of all changes that the storage process applied which applied most
 * @param cpuTimes the CPU time of each process, by name
 */
record ClusterSample(long jobs, Duration time, ClusterCounters counters, double share, Map<String, Duration> cpuTimes) {
    /** The name of the process of the workers and producers. */
    static final String CLIENT = "client";

    private static final double NANOS_PER_MICRO = 1_000;
    private static final double NANOS_PER_SECOND = 1e9;

    static Table table() {
        return new Table(
                "pace, storages, workers, types",
                "jobs/s",
                "commits",
                "conflicts",
                "writes",
                "bytes",
                "most changes of a storage",
                "most µs of a storage",
                "storages' µs",
                "log's µs",
                "proxies' µs",
                "client's µs",
                "most CPU");
    }

    /** Adds figures, each of one job unless its column says otherwise. */
    void addTo(Table table, ClusterSettings.Point point) {
        table.add(
                "%s, %d, %d, %d"
                        .formatted(
                                point.pace().name().toLowerCase(Locale.ROOT),
                                point.storages(),
                                point.workers(),
                                point.types()),
                number("%.0f", jobs / (time.toNanos() / NANOS_PER_SECOND)),
                number("%.2f", perJob(counters.commits())),
                number("%.2f", perJob(counters.conflicts())),
                number("%.1f", perJob(counters.writes())),
                number("%.0f", perJob(counters.bytesWritten())),
                number("%.0f %%", share * 100),
                number("%.0f", mostMicros(LocalCluster.STORAGE)),
                number("%.0f", micros(LocalCluster.STORAGE)),
                number("%.0f", micros("log")),
                number("%.0f", micros("commit_proxy") + micros("grv_proxy") + micros("resolution")),
                number("%.0f", micros(CLIENT)),
                mostCpu());
    }

    private double perJob(long count) {
        return count / (double) jobs;
    }

    /** The CPU time per job of the processes whose names begin so. */
    private double micros(String prefix) {
        return nanos(prefix).sum() / NANOS_PER_MICRO / jobs;
    }

    /** The CPU time per job of that one of these processes which used most. */
    private double mostMicros(String prefix) {
        return nanos(prefix).max().orElse(0) / NANOS_PER_MICRO / jobs;
    }

    private LongStream nanos(String prefix) {
        return cpuTimes.entrySet().stream()
                .filter(process -> process.getKey().startsWith(prefix))
                .mapToLong(process -> process.getValue().toNanos());
    }

    /** The process that used most of a processor, and how much. */
    private String mostCpu() {
        return cpuTimes.entrySet().stream()
                .max(Comparator.comparing(Map.Entry::getValue))
                .map(process -> process.getKey() + " "
                        + number("%.2f", process.getValue().toNanos() / (double) time.toNanos()))
                .orElse("?");
    }

    private static String number(String format, double number) {
        return String.format(Locale.ROOT, format, number);
    }
}
