package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * The options of the profile.
 *
 * @param engine the engine
 * @param phase what is profiled
 * @param workers the number of workers
 * @param seconds how long it is profiled, after a warm-up of the same length
 * @param directory the directory of a database in a directory
 * @param output the directory of the results
 */
record ProfileSettings(EngineKind engine, Phase phase, int workers, double seconds, Path directory, Path output) {
    private static final int NANOS = 1_000_000_000;

    /** What is profiled. */
    enum Phase {
        /** Adding jobs. */
        ADD,
        /** Running jobs. */
        DRAIN,
        /** Adding jobs and then running them. */
        BOTH;

        boolean adds() {
            return this != DRAIN;
        }

        boolean drains() {
            return this != ADD;
        }
    }

    static final String USAGE = """
            --engine NAME     memory or directory (memory)
            --phase NAME      add, drain or both (both); jobs are added in hundreds by one thread
            --workers N       how many workers run the jobs (1)
            --seconds N       how long it is profiled, after a warm-up of the same length (20)
            --output PATH     the directory of profile.jfr, cpu.html and allocations.html (target/bench/profile)
            --directory PATH  the directory of the databases (the temporary directory)""";

    static ProfileSettings parse(String... words) {
        ProfileSettings standard = new ProfileSettings(
                EngineKind.MEMORY,
                Phase.BOTH,
                1,
                20,
                Path.of(System.getProperty("java.io.tmpdir")),
                Path.of("target", "bench", "profile"));
        return CommandLine.parse(standard, ProfileSettings::with, USAGE, words);
    }

    private ProfileSettings with(String option, CommandLine line) {
        return switch (option) {
            case "--engine" ->
                new ProfileSettings(
                        EngineKind.valueOf(line.value().toUpperCase(Locale.ROOT)),
                        phase,
                        workers,
                        seconds,
                        directory,
                        output);
            case "--phase" ->
                new ProfileSettings(
                        engine,
                        Phase.valueOf(line.value().toUpperCase(Locale.ROOT)),
                        workers,
                        seconds,
                        directory,
                        output);
            case "--workers" ->
                new ProfileSettings(engine, phase, CommandLine.positive(line.value()), seconds, directory, output);
            case "--seconds" -> new ProfileSettings(engine, phase, workers, line.seconds(), directory, output);
            case "--output" -> new ProfileSettings(engine, phase, workers, seconds, directory, Path.of(line.value()));
            case "--directory" -> new ProfileSettings(engine, phase, workers, seconds, Path.of(line.value()), output);
            default -> throw new IllegalArgumentException(option);
        };
    }

    Duration length() {
        return Duration.ofNanos((long) (seconds * NANOS));
    }
}
