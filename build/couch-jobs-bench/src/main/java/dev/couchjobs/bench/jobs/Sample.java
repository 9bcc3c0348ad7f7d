package dev.couchjobs.bench.jobs;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The figures of one round.
 *
 * @param jobs the number of jobs that ended durably
 * @param figures the figures by metric
 */
record Sample(long jobs, Map<Metric, Double> figures) {
    /** The figures as text, without those that are unknown. */
    String describe() {
        return figures.entrySet().stream()
                .filter(figure -> figure.getValue() > 0)
                .sorted(Map.Entry.comparingByKey())
                .map(figure -> String.format(
                        Locale.ROOT, "%,.2f %s%s", figure.getValue(), figure.getKey().unit, figure.getKey().suffix))
                .collect(Collectors.joining("; "));
    }
}
