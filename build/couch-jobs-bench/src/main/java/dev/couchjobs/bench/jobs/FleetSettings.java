package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The options of the fleet's benchmarks.
 *
 * @param systems the engines to measure
 * @param processes the numbers of processes to measure
 * @param types the number of types that each process handles
 * @param jobs the number of jobs that arrive one at a time
 * @param seconds the window of the figures per second
 * @param settleSeconds the pause after the start of processes
 * @param directory the directory of a durable database
 * @param output the directory of the results
 */
record FleetSettings(
        Set<SystemKind> systems,
        List<Integer> processes,
        int types,
        int jobs,
        double seconds,
        double settleSeconds,
        Path directory,
        Path output) {
    private static final int NANOS = 1_000_000_000;

    static final String USAGE = """
            --smoke               two processes, three jobs, a moment each: to see that it works
            --systems NAME,...    only these of in_memory durable cluster (in_memory,cluster)
            --processes N,...     how many processes (1,10,100)
            --types N             how many types each of them handles (1)
            --jobs N              how many jobs are added one at a time (20)
            --seconds N           the window of figures per second (10)
            --output PATH         the directory of figures.md, charts.svg and figures.json (target/bench/fleet)
            --directory PATH      the directory of a durable database (the temporary directory)""";

    static FleetSettings parse(String... words) {
        FleetSettings standard = new FleetSettings(
                EnumSet.of(SystemKind.IN_MEMORY, SystemKind.CLUSTER),
                List.of(1, 10, 100),
                1,
                20,
                10,
                2,
                Path.of(System.getProperty("java.io.tmpdir")),
                Path.of("target", "bench", "fleet"));
        return CommandLine.parse(standard, FleetSettings::with, USAGE, words);
    }

    private FleetSettings with(String option, CommandLine line) {
        return switch (option) {
            case "--smoke" -> smoke();
            case "--systems" -> with(withoutPeers(line.values(SystemKind.class)));
            case "--processes" -> with(line.values().map(CommandLine::positive).toList(), types, jobs, seconds);
            case "--types" -> with(processes, CommandLine.positive(line.value()), jobs, seconds);
            case "--jobs" -> with(processes, types, CommandLine.positive(line.value()), seconds);
            case "--seconds" -> with(processes, types, jobs, line.seconds());
            case "--output" ->
                new FleetSettings(
                        systems, processes, types, jobs, seconds, settleSeconds, directory, Path.of(line.value()));
            case "--directory" ->
                new FleetSettings(
                        systems, processes, types, jobs, seconds, settleSeconds, Path.of(line.value()), output);
            default -> throw new IllegalArgumentException(option);
        };
    }

    /** These settings with the shortest lengths. */
    FleetSettings smoke() {
        return new FleetSettings(systems, List.of(1, 2), types, 3, 0.3, 0.1, directory, output);
    }

    private FleetSettings with(Set<SystemKind> newSystems) {
        return new FleetSettings(newSystems, processes, types, jobs, seconds, settleSeconds, directory, output);
    }

    private FleetSettings with(List<Integer> processes, int types, int jobs, double seconds) {
        return new FleetSettings(systems, processes, types, jobs, seconds, settleSeconds, directory, output);
    }

    private static Set<SystemKind> withoutPeers(Set<SystemKind> kinds) {
        if (kinds.stream().anyMatch(SystemKind::isPeer)) {
            throw new IllegalArgumentException("not ours");
        }
        return kinds;
    }

    Duration window() {
        return Duration.ofNanos((long) (seconds * NANOS));
    }

    Duration settling() {
        return Duration.ofNanos((long) (settleSeconds * NANOS));
    }
}
