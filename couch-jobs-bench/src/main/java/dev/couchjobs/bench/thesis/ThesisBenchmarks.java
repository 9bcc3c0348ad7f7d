package dev.couchjobs.bench.thesis;

import dev.couchjobs.bench.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Does the thesis's evaluation again, in both ways of joining nodes, and prints what it took beside the thesis's own. */
public final class ThesisBenchmarks {
    private static final String USAGE = """
            --step SECONDS     how long a step takes (0.5); the thesis's are 5
            --tests NAME,...   only these of test_1 test_2_one test_2_two test_2_three test_3 test_4
            --joined NAME      only shared or replicated""";

    private ThesisBenchmarks() {}

    /**
     * Runs the tests.
     *
     * @param arguments see the usage, which any word that is not understood prints
     * @throws IOException if something does not work as it should
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String... arguments) throws IOException, InterruptedException {
        double step = 0.5;
        Set<Evaluation> tests = EnumSet.allOf(Evaluation.class);
        Set<Joined> joined = EnumSet.allOf(Joined.class);
        Deque<String> words = new ArrayDeque<>(List.of(arguments));
        try {
            while (!words.isEmpty()) {
                switch (words.pop()) {
                    case "--step" -> step = Double.parseDouble(words.pop());
                    case "--tests" -> {
                        tests.clear();
                        for (String name : words.pop().split(",", -1)) {
                            tests.add(Evaluation.valueOf(name.toUpperCase(Locale.ROOT)));
                        }
                    }
                    case "--joined" ->
                        joined = EnumSet.of(Joined.valueOf(words.pop().toUpperCase(Locale.ROOT)));
                    default -> throw new IllegalArgumentException();
                }
            }
        } catch (RuntimeException e) {
            System.err.println(USAGE);
            System.exit(2);
        }
        try (Servers servers = new Servers(3)) {
            System.out.println(report(servers, tests, joined, step));
        }
    }

    static String report(Servers servers, Set<Evaluation> tests, Set<Joined> ways, double step)
            throws IOException, InterruptedException {
        Table table = new Table(
                "test (" + servers.describe() + ", steps of " + step + " s)",
                "nodes joined by",
                "ideal s",
                "s",
                "over ideal",
                "updates",
                "thesis: over ideal",
                "updates");
        for (Joined joined : ways) {
            var unused = course(servers, Evaluation.TEST_1, joined, 0.1); // warms up
            for (Evaluation test : tests) {
                Course.Outcome outcome = course(servers, test, joined, step);
                double ideal = test.idealRounds() * step;
                table.add(
                        test.title,
                        joined == Joined.SHARED ? "a database" : "replication",
                        String.format(Locale.ROOT, "%.1f", ideal),
                        String.format(Locale.ROOT, "%.2f", outcome.seconds()),
                        percent(outcome.seconds() / ideal),
                        outcome.fewest() + "-" + outcome.most(),
                        percent(test.thesisSeconds / (test.idealRounds() * 5)),
                        test.thesisRevisions);
                System.err.println(test + " " + joined + " " + outcome);
            }
        }
        return table.toString();
    }

    private static Course.Outcome course(Servers servers, Evaluation test, Joined joined, double step)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("thesis");
        String name = "thesis-" + Long.toHexString(System.nanoTime());
        try (Nodes nodes = new Nodes(servers, joined, test.nodes, name, directory)) {
            nodes.awaitReplication();
            return new Course(nodes.creator()).run(test, step);
        }
    }

    private static String percent(double ratio) {
        return String.format(Locale.ROOT, "%.1f %%", (ratio - 1) * 100);
    }
}
