package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Path;

/**
 * The options of the benchmarks of limits, unique keys and schedules.
 *
 * @param jobs how many jobs are added and run at each point
 * @param rounds how many rounds are measured, after one that is not
 * @param directory the directory of a database in a directory
 */
record ControlSettings(int jobs, int rounds, Path directory) {
    static final String USAGE = """
            --jobs N          how many jobs are added and run at each point (20000)
            --rounds N        how many rounds are measured, after one that is not (3)
            --directory PATH  the directory of the databases (the temporary directory)""";

    static ControlSettings parse(String... words) {
        ControlSettings standard = new ControlSettings(20_000, 3, Path.of(System.getProperty("java.io.tmpdir")));
        return CommandLine.parse(standard, ControlSettings::with, USAGE, words);
    }

    private ControlSettings with(String option, CommandLine line) {
        return switch (option) {
            case "--jobs" -> new ControlSettings(CommandLine.positive(line.value()), rounds, directory);
            case "--rounds" -> new ControlSettings(jobs, CommandLine.positive(line.value()), directory);
            case "--directory" -> new ControlSettings(jobs, rounds, Path.of(line.value()));
            default -> throw new IllegalArgumentException(option);
        };
    }
}
