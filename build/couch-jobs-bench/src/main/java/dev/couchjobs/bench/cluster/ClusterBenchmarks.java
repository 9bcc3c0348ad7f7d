package dev.couchjobs.bench.cluster;

import com.apple.foundationdb.Database;
import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.Table;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Measures what jobs cost the processes of a cluster, and how that spreads over them, by the number of storage
 * processes, of workers and of types.
 */
public final class ClusterBenchmarks {
    /** How long counters need to be reported. */
    private static final Duration SETTLING = LocalCluster.REPORTS.multipliedBy(4);

    private static final int SECONDS_TO_REST = 120;
    private static final int NANOS = 1_000_000_000;

    private final ClusterSettings settings;
    private final Table table = ClusterSample.table();

    private ClusterBenchmarks(ClusterSettings settings) {
        this.settings = settings;
    }

    /**
     * Measures, and prints tables in Markdown.
     *
     * @param words the options
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws IOException if a cluster cannot be started
     * @throws ExecutionException if a job cannot be added
     * @throws InterruptedException if its thread is interrupted
     */
    public static void main(String... words) throws IOException, ExecutionException, InterruptedException {
        ClusterSettings settings = ClusterSettings.parse(words);
        ClusterBenchmarks benchmarks = new ClusterBenchmarks(settings);
        for (int storages : settings.storages()) {
            benchmarks.measure(storages);
        }
        System.out.println(benchmarks.table.markdown());
    }

    private void measure(int storages) throws IOException, ExecutionException, InterruptedException {
        try (LocalCluster cluster = LocalCluster.start(settings, storages);
                Database database = Databases.cluster(cluster.clusterFile())) {
            awaitRest(database, storages);
            try (ClusterLoad load = new ClusterLoad(cluster.clusterFile(), settings.filling(storages))) {
                int unused = load.run(duration(settings.fill()));
            }
            awaitRest(database, storages);
            for (ClusterSettings.Point point : settings.points(storages).toList()) {
                ClusterSample sample = measure(cluster, database, point);
                Table alone = ClusterSample.table();
                sample.addTo(alone, point);
                System.err.println(alone);
                sample.addTo(table, point);
            }
            System.out.println("With " + storages + " storage processes, at last:\n");
            System.out.println(new ShardOwners(database, cluster::name)
                    .of(ClusterLoad.type(0).name())
                    .markdown());
        }
    }

    private static void awaitRest(Database database, int storages) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_REST);
        while (!ClusterCounters.isAtRest(ClusterCounters.status(database), storages)) {
            if (System.nanoTime() > until) {
                throw new IllegalStateException("The cluster does not come to rest");
            }
            Thread.sleep(LocalCluster.REPORTS.toMillis());
        }
    }

    private ClusterSample measure(LocalCluster cluster, Database database, ClusterSettings.Point point)
            throws ExecutionException, InterruptedException {
        try (ClusterLoad load = new ClusterLoad(cluster.clusterFile(), point)) {
            int unused = load.run(duration(settings.warmUp()));
            ClusterCounters before = settled(database);
            Map<String, Duration> cpuTimes = cpuTimes(cluster);
            long began = System.nanoTime();
            int jobs = load.run(duration(settings.seconds()));
            Duration time = Duration.ofNanos(System.nanoTime() - began);
            Map<String, Duration> used = cpuTimes(cluster);
            used.replaceAll((name, later) -> later.minus(cpuTimes.getOrDefault(name, Duration.ZERO)));
            ClusterCounters counters = settled(database).since(before);
            return new ClusterSample(jobs, time, counters, counters.largestShare(), used);
        }
    }

    private static ClusterCounters settled(Database database) throws InterruptedException {
        Thread.sleep(SETTLING.toMillis());
        return ClusterCounters.of(ClusterCounters.status(database));
    }

    private static Map<String, Duration> cpuTimes(LocalCluster cluster) {
        Map<String, Duration> cpuTimes = new HashMap<>(cluster.cpuTimes());
        cpuTimes.put(ClusterSample.CLIENT, LocalCluster.cpuTime(ProcessHandle.current()));
        return cpuTimes;
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos((long) (seconds * NANOS));
    }
}
