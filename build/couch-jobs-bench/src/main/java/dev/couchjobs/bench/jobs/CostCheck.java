package dev.couchjobs.bench.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares measured costs with accepted ones.
 *
 * @param failures a line for each figure that is too high, or that is on one side only
 * @param gains a line for each figure that is so low that the accepted one can be renewed
 */
record CostCheck(List<String> failures, List<String> gains) {
    private static final double PERCENT = 100;

    static CostCheck of(List<StepCosts> measured, AcceptedCosts accepted) {
        CostCheck check = new CostCheck(new ArrayList<>(), new ArrayList<>());
        for (StepCosts step : measured) {
            Map<String, Double> figures = accepted.costs().getOrDefault(step.name(), Map.of());
            for (CostFigure figure : CostFigure.values()) {
                figure.tolerance()
                        .ifPresent(tolerance -> check.compare(
                                step.name() + ": " + figure.label(),
                                figure,
                                tolerance,
                                step.figures().get(figure),
                                figures.get(figure.label())));
            }
        }
        return check;
    }

    private void compare(
            String name, CostFigure figure, double tolerance, @Nullable Double found, @Nullable Double accepted) {
        if (found == null && accepted == null) {
            return;
        }
        if (found == null || accepted == null) {
            failures.add(name + " is " + (found == null ? "accepted but not measured" : "measured but not accepted"));
            return;
        }
        String line = String.format(
                Locale.ROOT,
                "%s: found %s a job, accepted %s, tolerance %.0f %%",
                name,
                text(found, figure),
                text(accepted, figure),
                tolerance);
        if (found > accepted * (1 + tolerance / PERCENT)) {
            failures.add(line);
        } else if (found < accepted * (1 - tolerance / PERCENT)) {
            gains.add(line);
        }
    }

    private static String text(double value, CostFigure figure) {
        return (CostFigure.number(value) + " " + figure.unit()).strip();
    }
}
