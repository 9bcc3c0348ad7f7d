package dev.couchjobs.bench.jobs;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What one round gives.
 *
 * @param jobs how many it has seen to their durable end
 * @param figures what was measured
 */
record Sample(long jobs, Map<Metric, Double> figures) {
    /** In words, without what is not known. */
    String describe() {
        return figures.entrySet().stream()
                .filter(figure -> figure.getValue() > 0)
                .sorted(Map.Entry.comparingByKey())
                .map(figure -> String.format(
                        Locale.ROOT, "%,.2f %s%s", figure.getValue(), figure.getKey().unit, figure.getKey().suffix))
                .collect(Collectors.joining("; "));
    }
}
