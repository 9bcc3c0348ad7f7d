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

/** The options of the benchmarks of jobs. */
final class JobSettings {
    private static final String USAGE = """
                --smoke               few points, one short round: a minute, to see that it works
                --only NAME,...       only these of %s
                --systems NAME,...    only these of %s
                %s
                --rounds N            rounds of each system at each point, alternating (3)
                --seconds N           length of a round (2)
                --compare PATH        also print the ratio of each figure to that in this figures.json
                --output PATH         the directory of figures.md, charts.svg and figures.json (target/bench)
                --directory PATH      a directory on the disk to measure (the temporary directory)
                --postgres PATH       the directory of PostgreSQL's initdb and pg_ctl (/usr/lib/postgresql/15/bin)
                all ...               all of this, and then costs, fleet, engine and bridge
                costs ...             counts what our jobs cost, instead; --help lists its options
                profile ...           samples what they do, instead; --help lists its options
                fleet ...             counts and measures many processes, instead; --help lists its options
                engine ...            compares the engine with other stores, instead; --help lists its options
                bridge ...            compares the bridge with the thesis, instead; --help lists its options""";

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
        String charts = Arrays.stream(BenchmarkScenario.values())
                .map(scenario -> "%-22s%s (%s)"
                        .formatted(
                                "--" + scenario.word() + " N,...", "points of that chart", joined(scenario.points())))
                .collect(Collectors.joining("\n"));
        return USAGE.formatted(names(BenchmarkScenario.values()), names(SystemKind.values()), charts);
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
                points.put(scenario(option), line.values().map(Integer::valueOf).toList());
        }
        return this;
    }

    private static BenchmarkScenario scenario(String option) {
        return Stream.of(BenchmarkScenario.values())
                .filter(scenario -> option.equals("--" + scenario.word()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(option));
    }

    /** The directory of the databases, on the disk to measure. */
    Path directory() {
        return directory;
    }

    /** The directory of the results. */
    Path output() {
        return output;
    }

    /** The directory of PostgreSQL's programs. */
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

    /** The length of a round. */
    Duration window() {
        return Duration.ofMillis((long) (seconds * 1_000));
    }

    /** The scenarios to measure. */
    Set<BenchmarkScenario> scenarios() {
        return scenarios;
    }

    /** The systems to measure. */
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
