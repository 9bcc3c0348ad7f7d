package dev.couchjobs.bench.thesis;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the command line says.
 *
 * @param step how many seconds a step takes
 * @param tests which are done
 * @param ways in which nodes are joined
 * @param json where the results are written
 */
record ThesisSettings(double step, Set<Evaluation> tests, Set<TestedJoinMode> ways, Path json) {
    static final String USAGE = """
            --step SECONDS     how long a step takes (0.5); the thesis's are 5
            --json PATH        where the results go (target/bench/bridge.json)
            --joined NAME      only shared or replicated
            --tests NAME,...   only these of\s"""
            + String.join(
                    " ",
                    Stream.of(Evaluation.values()).map(ThesisSettings::word).toList());

    static ThesisSettings parse(String... words) {
        ThesisSettings standard = new ThesisSettings(
                0.5,
                EnumSet.allOf(Evaluation.class),
                EnumSet.allOf(TestedJoinMode.class),
                Path.of("target", "bench", "bridge.json"));
        return CommandLine.parse(standard, ThesisSettings::with, USAGE, words);
    }

    private ThesisSettings with(String option, CommandLine line) {
        return switch (option) {
            case "--step" -> new ThesisSettings(seconds(line.value()), tests, ways, json);
            case "--json" -> new ThesisSettings(step, tests, ways, Path.of(line.value()));
            case "--joined" -> new ThesisSettings(step, tests, line.values(TestedJoinMode.class), json);
            case "--tests" -> new ThesisSettings(step, line.values(Evaluation.class), ways, json);
            default -> throw new IllegalArgumentException(option);
        };
    }

    private static double seconds(String value) {
        double seconds = Double.parseDouble(value);
        if (!(seconds > 0 && Double.isFinite(seconds))) {
            throw new IllegalArgumentException(value);
        }
        return seconds;
    }

    private static String word(Evaluation test) {
        return test.name().toLowerCase(Locale.ROOT);
    }
}
