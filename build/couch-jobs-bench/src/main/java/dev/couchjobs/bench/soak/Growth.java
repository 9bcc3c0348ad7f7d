package dev.couchjobs.bench.soak;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * Compares the thirds of a soak. A figure has grown if its median in the last third is more than a quarter above that
 * in the second third, and by more than the slack of the metric.
 */
final class Growth {
    static final String RULE =
            "the median of the last third is at most a quarter above that of the second, or the slack";

    private static final double RATIO_MAX = 1.25;
    private static final int THIRDS = 3;

    private final List<SoakSample> samples;
    private final double minutes;

    Growth(List<SoakSample> samples, double minutes) {
        this.samples = samples;
        this.minutes = minutes;
    }

    /** {@return the median of a third, counted from 0; empty if nothing was measured in it} */
    OptionalDouble median(SoakMetric metric, int third) {
        double[] figures = samples.stream()
                .filter(sample -> Math.min(THIRDS - 1, (int) (sample.minute() * THIRDS / minutes)) == third)
                .filter(sample -> sample.figures().containsKey(metric))
                .mapToDouble(sample -> Objects.requireNonNull(sample.figures().get(metric)))
                .sorted()
                .toArray();
        return figures.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(figures[figures.length / 2]);
    }

    OptionalDouble highest(SoakMetric metric) {
        return samples.stream()
                .filter(sample -> sample.figures().containsKey(metric))
                .mapToDouble(sample -> Objects.requireNonNull(sample.figures().get(metric)))
                .max();
    }

    /** {@return a line for each metric that has grown} */
    List<String> faults() {
        return Arrays.stream(SoakMetric.values())
                .filter(SoakMetric::isBounded)
                .filter(this::hasGrown)
                .map(metric -> String.format(
                        Locale.ROOT,
                        "%s grew from %.0f to %.0f %s",
                        metric.label,
                        median(metric, 1).orElseThrow(),
                        median(metric, 2).orElseThrow(),
                        metric.unit))
                .toList();
    }

    private boolean hasGrown(SoakMetric metric) {
        OptionalDouble second = median(metric, 1);
        OptionalDouble last = median(metric, 2);
        return second.isPresent()
                && last.isPresent()
                && last.getAsDouble() > RATIO_MAX * second.getAsDouble()
                && last.getAsDouble() > second.getAsDouble() + metric.slack();
    }
}
