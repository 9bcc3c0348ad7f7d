package dev.couchjobs.bench;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the command line says.
 *
 * @param directory on the disk to measure
 * @param json where the results are written
 * @param seconds how long each row is measured on each store, after as long to warm up
 * @param keys how many rows are loaded before
 * @param growth the numbers of rows between which the growth of the costs is measured
 * @param footprintKeys how many rows the memory and the time to open are measured with; 0 for not at all
 * @param rows what is measured
 */
record Settings(
        Path directory,
        Path json,
        int seconds,
        long keys,
        List<Long> growth,
        long footprintKeys,
        Set<BenchmarkRow> rows) {
    private static final String USAGE = """
            --quick               a second each, to see that it works
            --directory PATH      on the disk to measure (the temporary directory)
            --json PATH           where the results go (target/bench/engine.json)
            --seconds N           how long each row is measured on each store (6)
            --keys N              how many rows are loaded before (100000)
            --growth N,N,...      numbers of rows whose costs are compared (1000,100000); 10000000 takes long
            --footprint N         rows for memory and time to open (1000000; 0 for none)
            --rows NAME,...       only these of %s""";

    static String usage() {
        return USAGE.formatted(
                Stream.of(BenchmarkRow.values()).map(BenchmarkRow::name).collect(Collectors.joining(" ")));
    }

    static Settings parse(String... words) {
        return CommandLine.parse(
                standard(6, 100_000, List.of(1_000L, 100_000L), 1_000_000), Settings::with, usage(), words);
    }

    private static Settings standard(int seconds, long keys, List<Long> growth, long footprintKeys) {
        return new Settings(
                Path.of(System.getProperty("java.io.tmpdir")),
                Path.of("target", "bench", "engine.json"),
                seconds,
                keys,
                growth,
                footprintKeys,
                EnumSet.allOf(BenchmarkRow.class));
    }

    private Settings at(Settings other) {
        return new Settings(other.directory, other.json, seconds, keys, growth, footprintKeys, other.rows);
    }

    private Settings with(String option, CommandLine line) {
        return switch (option) {
            case "--quick" ->
                standard(1, 10_000, List.of(1_000L, 10_000L), 10_000).at(this);
            case "--directory" -> new Settings(Path.of(line.value()), json, seconds, keys, growth, footprintKeys, rows);
            case "--json" -> new Settings(directory, Path.of(line.value()), seconds, keys, growth, footprintKeys, rows);
            case "--seconds" ->
                new Settings(directory, json, Integer.parseInt(line.value()), keys, growth, footprintKeys, rows);
            case "--keys" ->
                new Settings(directory, json, seconds, Long.parseLong(line.value()), growth, footprintKeys, rows);
            case "--growth" ->
                new Settings(
                        directory,
                        json,
                        seconds,
                        keys,
                        line.values().map(Long::valueOf).toList(),
                        footprintKeys,
                        rows);
            case "--footprint" ->
                new Settings(directory, json, seconds, keys, growth, Long.parseLong(line.value()), rows);
            case "--rows" ->
                new Settings(directory, json, seconds, keys, growth, footprintKeys, line.values(BenchmarkRow.class));
            default -> throw new IllegalArgumentException(option);
        };
    }
}
