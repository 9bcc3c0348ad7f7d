package dev.couchjobs.bench.soak;

import java.util.Map;

/**
 * What was measured at a time.
 *
 * @param minute when, from the beginning of the load
 * @param figures the figures; one that could not be measured is missing
 */
record SoakSample(double minute, Map<SoakMetric, Double> figures) {}
