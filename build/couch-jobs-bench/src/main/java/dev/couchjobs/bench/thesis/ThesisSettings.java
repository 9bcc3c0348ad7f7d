package dev.couchjobs.bench.thesis;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The options of the thesis's evaluation.
 *
 * @param step the duration of a step in seconds
 * @param tests the tests to run
 * @param joinModes the join modes to test
 * @param output the directory of the results
 */
record ThesisSettings(double step, Set<Evaluation> tests, Set<TestedJoinMode> joinModes, Path output) {
    static final String USAGE = """
            --step SECONDS     how long a step takes (0.5); the thesis's are 5
            --output PATH      the directory of bridge.json and bridge.svg (target/bench)
            --joined NAME      only shared or replicated
            --tests NAME,...   only these of\s"""
            + String.join(
                    " ",
                    Stream.of(Evaluation.values()).map(ThesisSettings::word).toList());

    static ThesisSettings parse(String... words) {
        ThesisSettings standard = new ThesisSettings(
                0.5, EnumSet.allOf(Evaluation.class), EnumSet.allOf(TestedJoinMode.class), Path.of("target", "bench"));
        return CommandLine.parse(standard, ThesisSettings::with, USAGE, words);
    }

    private ThesisSettings with(String option, CommandLine line) {
        return switch (option) {
            case "--step" -> new ThesisSettings(line.seconds(), tests, joinModes, output);
            case "--output" -> new ThesisSettings(step, tests, joinModes, Path.of(line.value()));
            case "--joined" -> new ThesisSettings(step, tests, line.values(TestedJoinMode.class), output);
            case "--tests" -> new ThesisSettings(step, line.values(Evaluation.class), joinModes, output);
            default -> throw new IllegalArgumentException(option);
        };
    }

    private static String word(Evaluation test) {
        return test.name().toLowerCase(Locale.ROOT);
    }
}
