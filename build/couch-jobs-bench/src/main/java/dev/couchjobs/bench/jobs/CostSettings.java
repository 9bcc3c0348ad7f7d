package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Path;

/**
 * The options of the costs.
 *
 * @param task what to do
 * @param file the file with the accepted costs
 * @param directory the directory of the databases
 */
record CostSettings(Task task, Path file, Path directory) {
    /** What to do with the costs. */
    enum Task {
        /** Print all of them. */
        PRINT,
        /** Compare those per job with the accepted ones. */
        CHECK,
        /** Write the accepted ones. */
        ACCEPT
    }

    static final String USAGE = """
            --check           only the costs per job; fails if one is higher than the file accepts
            --accept          only the costs per job; writes them to the file
            --file PATH       the accepted costs (../../docs/benchmarks/costs.json)
            --directory PATH  the directory of the databases (the temporary directory)""";

    static CostSettings parse(String... words) {
        CostSettings standard = new CostSettings(
                Task.PRINT,
                Path.of("..", "..", "docs", "benchmarks", "costs.json"),
                Path.of(System.getProperty("java.io.tmpdir")));
        return CommandLine.parse(standard, CostSettings::with, USAGE, words);
    }

    private CostSettings with(String option, CommandLine line) {
        return switch (option) {
            case "--check" -> new CostSettings(Task.CHECK, file, directory);
            case "--accept" -> new CostSettings(Task.ACCEPT, file, directory);
            case "--file" -> new CostSettings(task, Path.of(line.value()), directory);
            case "--directory" -> new CostSettings(task, file, Path.of(line.value()));
            default -> throw new IllegalArgumentException(option);
        };
    }
}
