package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the command line says. */
final class JobSettings {
    private static final String USAGE = """
                --smoke               few points, one short round: a minute, to see that it works
                --only NAME,...       only these of %s
                --systems NAME,...    only these of %s
                %s
                --rounds N            how often each point is measured of each system, in turns (3)
                --seconds N           how long each time (2)
                --compare PATH        also print how many times each figure is what it is in that figures.json
                --output PATH         the directory of figures.md, curves.svg and figures.json (target/bench)
                --directory PATH      on the disk to measure (the temporary directory)
                --postgres PATH       where PostgreSQL's initdb and pg_ctl are (/usr/lib/postgresql/15/bin)
                all ...               all of this, and then costs, fleet, engine and bridge
                costs                 counts what our jobs ask of the database, instead
                fleet ...             counts and measures many processes, instead; --help lists its options
                engine ...            measures the engine beside other stores, instead; --help lists its options
                bridge ...            measures the bridge beside the thesis, instead; --help lists its options""";

    private static final double SMOKE_SECONDS = 0.3;

    private Path directory = Path.of(System.getProperty("java.io.tmpdir"));
    private Path output = Path.of("target", "bench");
    private Path postgres = Path.of("/usr/lib/postgresql/15/bin");
    private Optional<Path> compared = Optional.empty();
    private int rounds = 3;
    private double seconds = 2;
    private final Map<BenchmarkScenario, List<Integer>> points = new EnumMap<>(BenchmarkScenario.class);
    private Set<BenchmarkScenario> scenarios = EnumSet.allOf(BenchmarkScenario.class);
    private Set<SystemKind> systems = EnumSet.allOf(SystemKind.class);

    private JobSettings() {
        for (BenchmarkScenario scenario : BenchmarkScenario.values()) {
            points.put(scenario, scenario.points());
        }
    }

    static JobSettings parse(String... words) {
        return CommandLine.parse(new JobSettings(), JobSettings::with, usage(), words);
    }

    static String usage() {
        String curves = Arrays.stream(BenchmarkScenario.values())
                .map(scenario -> "%-22s%s (%s)"
                        .formatted(
                                "--" + scenario.word() + " N,...", "points of that curve", joined(scenario.points())))
                .collect(Collectors.joining("\n"));
        return USAGE.formatted(names(BenchmarkScenario.values()), names(SystemKind.values()), curves);
    }

    private void smoke() {
        rounds = 1;
        seconds = SMOKE_SECONDS;
        for (BenchmarkScenario scenario : BenchmarkScenario.values()) {
            points.put(scenario, scenario.smokePoints());
        }
    }

    private JobSettings with(String option, CommandLine line) {
        switch (option) {
            case "--smoke" -> smoke();
            case "--only" -> scenarios = line.values(BenchmarkScenario.class);
            case "--systems" -> systems = line.values(SystemKind.class);
            case "--rounds" -> rounds = Integer.parseInt(line.value());
            case "--seconds" -> seconds = Double.parseDouble(line.value());
            case "--compare" -> compared = Optional.of(Path.of(line.value()));
            case "--output" -> output = Path.of(line.value());
            case "--directory" -> directory = Path.of(line.value());
            case "--postgres" -> postgres = Path.of(line.value());
            default ->
                points.put(curve(option), line.values().map(Integer::valueOf).toList());
        }
        return this;
    }

    private static BenchmarkScenario curve(String option) {
        return Stream.of(BenchmarkScenario.values())
                .filter(scenario -> option.equals("--" + scenario.word()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(option));
    }

    /** Where databases are made: on the disk that is measured. */
    Path directory() {
        return directory;
    }

    /** Where the results go. */
    Path output() {
        return output;
    }

    /** Where PostgreSQL's programs are. */
    Path postgres() {
        return postgres;
    }

    /** The results of an earlier run, if there is one to compare with. */
    Optional<Path> compared() {
        return compared;
    }

    int rounds() {
        return rounds;
    }

    /** How long each round is measured. */
    Duration window() {
        return Duration.ofMillis((long) (seconds * 1_000));
    }

    /** What is measured. */
    Set<BenchmarkScenario> scenarios() {
        return scenarios;
    }

    /** Of which systems. */
    Set<SystemKind> systems() {
        return systems;
    }

    List<Integer> points(BenchmarkScenario scenario) {
        return points.getOrDefault(scenario, List.of());
    }

    private static String names(Enum<?>[] values) {
        return Stream.of(values)
                .map(value -> value.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(" "));
    }

    private static String joined(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
