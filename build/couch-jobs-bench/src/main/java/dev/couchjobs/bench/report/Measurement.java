package dev.couchjobs.bench.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * The figure of one system at one point of a chart.
 *
 * @param chart the name of the chart; {@code curve} in JSON
 * @param system the label of the system
 * @param x the value on the x-axis
 * @param median the median of the rounds
 * @param rounds the figure of each round, in order
 * @param jobs the number of jobs that ended in all rounds
 * @param lost the number of jobs of the system that were neither run nor pending at the end
 * @param doubled the number of repeated runs of jobs
 */
public record Measurement(
        @JsonProperty("curve") String chart,
        String system,
        int x,
        double median,
        List<Double> rounds,
        long jobs,
        long lost,
        long doubled) {
    /**
     * {@return a measurement with the median of the rounds}
     *
     * @param chart as above
     * @param system as above
     * @param x as above
     * @param rounds as above, at least one
     * @param jobs as above
     * @param lost as above
     * @param doubled as above
     */
    public static Measurement of(
            String chart, String system, int x, List<Double> rounds, long jobs, long lost, long doubled) {
        List<Double> sorted = rounds.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median = sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        return new Measurement(chart, system, x, median, List.copyOf(rounds), jobs, lost, doubled);
    }

    boolean isSound() {
        return lost == 0 && doubled == 0;
    }
}
