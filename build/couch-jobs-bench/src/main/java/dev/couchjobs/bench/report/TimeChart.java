package dev.couchjobs.bench.report;

import java.util.List;

/**
 * A chart of figures over time.
 *
 * @param title its title, with the unit of the figures
 * @param isLogarithmic whether the axis of the figures is logarithmic
 * @param lines a line for each figure
 */
public record TimeChart(String title, boolean isLogarithmic, List<Line> lines) {
    /**
     * A figure over time.
     *
     * @param label its name
     * @param points its values, in the order of their times
     */
    public record Line(String label, List<Point> points) {}

    /**
     * A figure at a time.
     *
     * @param minute when
     * @param value the figure
     */
    public record Point(double minute, double value) {}
}
