package dev.couchjobs.bench.report;

/**
 * A chart: a figure of several systems at several points, with a line per system.
 *
 * @param name its name, unique in a report
 * @param title its title
 * @param x the label of the x-axis: the variable, with its unit
 * @param y the label of the y-axis: the figure, with its unit
 * @param isBetterHigher whether a higher figure is better
 */
public record Chart(String name, String title, String x, String y, boolean isBetterHigher) {}
