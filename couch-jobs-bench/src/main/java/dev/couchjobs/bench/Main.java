package dev.couchjobs.bench;

import dev.couchjobs.bench.jobs.CostBenchmarks;
import dev.couchjobs.bench.jobs.JobBenchmarks;
import dev.couchjobs.bench.thesis.ThesisBenchmarks;
import java.util.Arrays;

/** Measures; see {@code docs/benchmarks.md}. */
public final class Main {
    private Main() {}

    /**
     * Measures the jobs beside their peers; or what the first word names: {@code costs}, what the jobs ask of the database,
     * {@code engine}, the embedded engine beside other stores, or {@code bridge}, the bridge beside the thesis.
     *
     * @param words which of them, and its options; an unknown one is answered with a list of them
     * @throws Exception if something does not work as it should, or a job was lost or run twice
     */
    public static void main(String... words) throws Exception {
        String[] rest = Arrays.copyOfRange(words, Math.min(1, words.length), words.length);
        switch (words.length == 0 ? "" : words[0]) {
            case "costs" -> CostBenchmarks.main(rest);
            case "engine" -> Benchmarks.main(rest);
            case "bridge" -> ThesisBenchmarks.main(rest);
            default -> JobBenchmarks.main(words);
        }
    }
}
