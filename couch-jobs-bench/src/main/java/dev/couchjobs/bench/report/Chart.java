package dev.couchjobs.bench.report;

/**
 * What is measured of several systems at several points.
 *
 * @param name a word, unique in a report
 * @param title what it shows
 * @param x what is varied, with its unit
 * @param y what is measured, with its unit
 * @param isBetterHigher whether more of it is better
 */
public record Curve(String name, String title, String x, String y, boolean isBetterHigher) {}
