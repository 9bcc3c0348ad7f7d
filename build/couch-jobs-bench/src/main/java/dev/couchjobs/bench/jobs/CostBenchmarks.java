package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Counts the database operations of couch-jobs and what a job costs, prints them, and checks the costs of a job. */
public final class CostBenchmarks {
    private static final int JOBS = 20_000;

    private CostBenchmarks() {}

    /**
     * Counts, prints and checks.
     *
     * @param words the options
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws IOException if a file cannot be written
     * @throws InterruptedException if its thread is interrupted
     * @throws IllegalStateException if a cost is higher than accepted
     */
    public static void main(String... words) throws IOException, InterruptedException {
        CostSettings settings = CostSettings.parse(words);
        if (settings.task() == CostSettings.Task.PRINT) {
            System.out.println(Costs.table(JOBS));
            List<StepCosts> costs = CostProcess.measure(CostProcess.Compilers.ALL, settings.directory());
            System.out.println(table("costs of a job", costs));
            return;
        }
        List<StepCosts> costs = CostProcess.measure(CostProcess.Compilers.FIRST, settings.directory());
        System.out.println(table("costs of a job by the first compiler", costs));
        if (settings.task() == CostSettings.Task.CHECK) {
            check(costs, settings.file());
        } else {
            AcceptedCosts.of(costs).write(settings.file());
            System.out.println("Accepted in " + settings.file().toAbsolutePath());
        }
    }

    /** A table with a line for each step, and a column for each figure. */
    private static Table table(String title, List<StepCosts> costs) {
        Table table = new Table(line(
                title,
                Arrays.stream(CostFigure.values())
                        .map(figure -> figure.unit().isEmpty() ? figure.label() : figure.label() + ", " + figure.unit())
                        .toList()));
        for (StepCosts step : costs) {
            List<String> cells = new ArrayList<>();
            for (CostFigure figure : CostFigure.values()) {
                Double value = step.figures().get(figure);
                cells.add(value == null ? "-" : CostFigure.number(value));
            }
            table.add(line(step.name(), cells));
        }
        return table;
    }

    private static String[] line(String first, List<String> others) {
        return Stream.concat(Stream.of(first), others.stream()).toArray(String[]::new);
    }

    private static void check(List<StepCosts> costs, Path file) {
        AcceptedCosts accepted = AcceptedCosts.read(file);
        CostCheck check = CostCheck.of(costs, accepted);
        String renewal = "-Dbench.args=\"costs --accept\" renews " + file + ", which is of Java " + accepted.java();
        if (!check.failures().isEmpty()) {
            throw new IllegalStateException(
                    "A job costs more than accepted.\n" + String.join("\n", check.failures()) + "\nIf it has to, "
                            + renewal + "; this is Java " + Runtime.version().feature() + ".");
        }
        System.out.println("No cost of a job is higher than accepted.");
        if (!check.gains().isEmpty()) {
            System.out.println("Some are lower:\n" + String.join("\n", check.gains()) + "\n" + renewal + ".");
        }
    }
}
