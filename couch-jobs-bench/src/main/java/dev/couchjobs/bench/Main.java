package dev.couchjobs.bench;

import dev.couchjobs.bench.jobs.CostBenchmarks;
import dev.couchjobs.bench.jobs.FleetBenchmarks;
import dev.couchjobs.bench.jobs.JobBenchmarks;
import dev.couchjobs.bench.thesis.ThesisBenchmarks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Measures; see {@code docs/benchmarks.md}. */
public final class Main {
    private Main() {}

    /**
     * Measures the jobs beside their peers; or what the first word names: {@code costs}, what the jobs ask of the
     * database, {@code fleet}, what many processes ask of it, {@code engine}, the embedded engine beside other stores,
     * {@code bridge}, the bridge beside the thesis, or {@code all}.
     *
     * @param words which of them, and its options; an unknown one is answered with a list of them
     * @throws Exception if something does not work as it should, or a job was lost or run twice
     */
    public static void main(String... words) throws Exception {
        try {
            run(words);
        } catch (CommandLine.RefusedException e) {
            System.err.println(e.getMessage());
            System.exit(2); // a build that measures nothing is not to look as if it had
        }
    }

    private static void run(String... words) throws Exception {
        String[] rest = Arrays.copyOfRange(words, Math.min(1, words.length), words.length);
        switch (words.length == 0 ? "" : words[0]) {
            case "costs" -> CostBenchmarks.main(rest);
            case "fleet" -> FleetBenchmarks.main(rest);
            case "engine" -> Benchmarks.main(rest);
            case "bridge" -> ThesisBenchmarks.main(rest);
            case "all" -> all(rest);
            default -> JobBenchmarks.main(words);
        }
    }

    private interface Part {
        void run() throws Exception;
    }

    /** Each, also if one before it has failed, which the last line says. */
    private static void all(String... options) throws Exception {
        List<Part> parts = List.of(
                () -> JobBenchmarks.main(options),
                CostBenchmarks::main,
                FleetBenchmarks::main,
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
