package dev.couchjobs.bench;

import dev.couchjobs.bench.cluster.ClusterBenchmarks;
import dev.couchjobs.bench.jobs.ControlBenchmarks;
import dev.couchjobs.bench.jobs.CostBenchmarks;
import dev.couchjobs.bench.jobs.FleetBenchmarks;
import dev.couchjobs.bench.jobs.JobBenchmarks;
import dev.couchjobs.bench.jobs.LatencyBenchmarks;
import dev.couchjobs.bench.jobs.ProfileBenchmarks;
import dev.couchjobs.bench.jobs.ScaleBenchmarks;
import dev.couchjobs.bench.server.ServerBenchmarks;
import dev.couchjobs.bench.soak.SoakBenchmarks;
import dev.couchjobs.bench.thesis.ThesisBenchmarks;
import dev.couchjobs.bench.topics.TopicBenchmarks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs the benchmarks; see {@code docs/benchmarks.md}. */
public final class Main {
    private Main() {}

    /**
     * Compares the jobs with their peers, unless the first word names other benchmarks: {@code costs}, what jobs cost;
     * {@code profile}, where that comes from; {@code fleet}, the database operations of many processes;
     * {@code control}, limits and unique keys beside their absence; {@code latency}, the same at the latencies of a
     * cluster; {@code scale}, very many of them; {@code cluster}, what jobs cost each process of a cluster;
     * {@code server}, claims, feeds and waits over HTTP; {@code topics}, topics beside other logs; {@code soak}, hours
     * of jobs while things go wrong; {@code engine}, the embedded engine compared with other stores; {@code bridge},
     * the bridge compared with the thesis; or {@code all} but the profile, the latency, the scale, the cluster, the
     * server, the topics and the soak.
     *
     * @param words the name of the benchmarks, and their options
     * @throws Exception if a benchmark fails, or a job was lost or run twice
     */
    public static void main(String... words) throws Exception {
        try {
            run(words);
        } catch (CommandLine.RefusedException e) {
            System.err.println(e.getMessage());
            System.exit(2); // the build must not succeed without measurements
        }
    }

    private static void run(String... words) throws Exception {
        String[] options = Arrays.copyOfRange(words, Math.min(1, words.length), words.length);
        switch (words.length == 0 ? "" : words[0]) {
            case "costs" -> CostBenchmarks.main(options);
            case "profile" -> ProfileBenchmarks.main(options);
            case "fleet" -> FleetBenchmarks.main(options);
            case "control" -> ControlBenchmarks.main(options);
            case "latency" -> LatencyBenchmarks.main(options);
            case "server" -> ServerBenchmarks.main(options);
            case "topics" -> TopicBenchmarks.main(options);
            case "soak" -> SoakBenchmarks.main(options);
            case "scale" -> ScaleBenchmarks.main(options);
            case "cluster" -> ClusterBenchmarks.main(options);
            case "engine" -> Benchmarks.main(options);
            case "bridge" -> ThesisBenchmarks.main(options);
            case "all" -> all(options);
            default -> JobBenchmarks.main(words);
        }
    }

    private interface Part {
        void run() throws Exception;
    }

    /** Runs all benchmarks, also after a failure, and then fails if any of them has failed. */
    private static void all(String... options) throws Exception {
        List<Part> parts = List.of(
                () -> JobBenchmarks.main(options),
                CostBenchmarks::main,
                FleetBenchmarks::main,
                ControlBenchmarks::main,
                Benchmarks::main,
                ThesisBenchmarks::main);
        List<Exception> failures = new ArrayList<>();
        for (Part part : parts) {
            try {
                part.run();
            } catch (CommandLine.RefusedException e) {
                throw e;
            } catch (Exception e) {
                e.printStackTrace();
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException(
                    failures.size() + " of " + parts.size() + " parts have failed", failures.get(0));
        }
    }
}
