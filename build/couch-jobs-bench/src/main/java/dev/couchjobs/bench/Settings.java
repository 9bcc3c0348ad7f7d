package dev.couchjobs.bench;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options of the engine's benchmarks.
 *
 * @param directory a directory on the disk to measure
 * @param output the directory of the results
 * @param seconds how long each operation is measured on each store, after a warm-up of the same length
 * @param keys the number of rows loaded before
 * @param growth the numbers of rows for which the costs are compared
 * @param footprintKeys the number of rows for the footprint; 0 for no footprint
 * @param operations the operations to measure
 */
record Settings(
        Path directory,
        Path output,
        int seconds,
        long keys,
        List<Long> growth,
        long footprintKeys,
        Set<Operation> operations) {
    private static final String USAGE = """
            --smoke               a second each, to see that it works
            --directory PATH      on the disk to measure (the temporary directory)
            --output PATH         the directory of engine.json and engine.svg (target/bench)
            --seconds N           how long each operation is measured on each store (6)
            --keys N              how many rows are loaded before (100000)
            --growth N,N,...      numbers of rows whose costs are compared (1000,100000); 10000000 takes long
            --footprint N         rows for memory and time to open (1000000; 0 for none)
            --operations NAME,... only these of %s""";

    static String usage() {
        return USAGE.formatted(
                Stream.of(Operation.values()).map(Operation::name).collect(Collectors.joining(" ")));
    }

    static Settings parse(String... words) {
        return CommandLine.parse(
                standard(6, 100_000, List.of(1_000L, 100_000L), 1_000_000), Settings::with, usage(), words);
    }

    private static Settings standard(int seconds, long keys, List<Long> growth, long footprintKeys) {
        return new Settings(
                Path.of(System.getProperty("java.io.tmpdir")),
                Path.of("target", "bench"),
                seconds,
                keys,
                growth,
                footprintKeys,
                EnumSet.allOf(Operation.class));
    }

    private Settings at(Settings other) {
        return new Settings(other.directory, other.output, seconds, keys, growth, footprintKeys, other.operations);
    }

    private Settings with(String option, CommandLine line) {
        return switch (option) {
            case "--smoke" ->
                standard(1, 10_000, List.of(1_000L, 10_000L), 10_000).at(this);
            case "--directory" ->
                new Settings(Path.of(line.value()), output, seconds, keys, growth, footprintKeys, operations);
            case "--output" ->
                new Settings(directory, Path.of(line.value()), seconds, keys, growth, footprintKeys, operations);
            case "--seconds" ->
                new Settings(
                        directory, output, Integer.parseInt(line.value()), keys, growth, footprintKeys, operations);
            case "--keys" ->
                new Settings(
                        directory, output, seconds, Long.parseLong(line.value()), growth, footprintKeys, operations);
            case "--growth" ->
                new Settings(
                        directory,
                        output,
                        seconds,
                        keys,
                        line.values().map(Long::valueOf).toList(),
                        footprintKeys,
                        operations);
            case "--footprint" ->
                new Settings(directory, output, seconds, keys, growth, Long.parseLong(line.value()), operations);
            case "--operations" ->
                new Settings(directory, output, seconds, keys, growth, footprintKeys, line.values(Operation.class));
            default -> throw new IllegalArgumentException(option);
        };
    }
}
