package dev.couchjobs.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Draws one chart of a report as a part of an SVG image, with logarithmic axes. */
final class ChartSvg {
    static final int WIDTH = 460;
    static final int HEIGHT = 320;
    private static final int LEFT = 62;
    private static final int RIGHT = 14;
    private static final int TOP = 34;
    private static final int BOTTOM = 46;

    private final Report report;
    private final Chart chart;
    private final double minX;
    private final double maxX;
    private final double minY;
    private final double maxY;
    private final StringBuilder svg = new StringBuilder();

    ChartSvg(Report report, Chart chart) {
        this.report = report;
        this.chart = chart;
        minX = bound(Math::min, Measurement::x);
        maxX = Math.max(bound(Math::max, Measurement::x), minX * 2);
        minY = Math.pow(10, Math.floor(Math.log10(bound(Math::min, ChartSvg::y))));
        maxY = Math.max(minY * 10, Math.pow(10, Math.ceil(Math.log10(bound(Math::max, ChartSvg::y)))));
    }

    private double bound(java.util.function.DoubleBinaryOperator choice, ToDoubleFunction<Measurement> value) {
        return report.of(chart).stream().mapToDouble(value).reduce(choice).orElse(1);
    }

    /** A logarithmic axis cannot show 0. */
    private static double y(Measurement measurement) {
        return Math.max(measurement.median(), 1e-3);
    }

    String svg() {
        text(WIDTH / 2.0, 18, "middle", "title", chart.title());
        text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8, "middle", "label", chart.x());
        svg.append("<text transform=\"translate(12 %d) rotate(-90)\" text-anchor=\"middle\" class=\"label\">%s</text>%n"
                .formatted((TOP + HEIGHT - BOTTOM) / 2, Plot.escaped(chart.y())));
        grid();
        List<String> systems = List.copyOf(report.systems().keySet());
        report.systems(chart).forEach(system -> line(system, systems.indexOf(system)));
        return svg.toString();
    }

    private void grid() {
        for (double y = minY; y <= maxY * 1.001; y *= 10) {
            rule(LEFT, yPosition(y), WIDTH - RIGHT, yPosition(y));
            text(LEFT - 6, yPosition(y) + 4, "end", "tick", tick(y));
        }
        for (int x : report.points(chart)) {
            rule(xPosition(x), TOP, xPosition(x), HEIGHT - BOTTOM);
            text(xPosition(x), HEIGHT - BOTTOM + 16, "middle", "tick", tick(x));
        }
    }

    private void line(String system, int color) {
        StringBuilder points = new StringBuilder();
        StringBuilder dots = new StringBuilder();
        for (int x : report.points(chart)) {
            report.at(chart, system, x).ifPresent(measurement -> {
                String left = number(xPosition(x));
                String top = number(yPosition(y(measurement)));
                points.append(left).append(',').append(top).append(' ');
                dots.append("<circle cx=\"%s\" cy=\"%s\" r=\"3\" class=\"dot%d\"><title>%s at %s: %s</title></circle>%n"
                        .formatted(
                                left, top, color, Plot.escaped(system), tick(x), Tables.number(measurement.median())));
            });
        }
        svg.append("<polyline class=\"line%d\" points=\"%s\"/>%n"
                .formatted(color, points.toString().strip()));
        svg.append(dots);
    }

    private double xPosition(double x) {
        return LEFT + fraction(x, minX, maxX) * (WIDTH - LEFT - RIGHT);
    }

    private double yPosition(double y) {
        return HEIGHT - BOTTOM - fraction(y, minY, maxY) * (HEIGHT - BOTTOM - TOP);
    }

    private static double fraction(double value, double min, double max) {
        return Math.log(value / min) / Math.log(max / min);
    }

    private void rule(double fromX, double fromY, double toX, double toY) {
        svg.append("<path class=\"grid\" d=\"M%s %sL%s %s\"/>%n"
                .formatted(number(fromX), number(fromY), number(toX), number(toY)));
    }

    private void text(double x, double y, String anchor, String style, String text) {
        svg.append("<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" class=\"%s\">%s</text>%n"
                .formatted(number(x), number(y), anchor, style, Plot.escaped(text)));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** Formats the label of a tick: 1000 as 1k. */
    private static String tick(double value) {
        if (value >= 1e6) {
            return String.format(Locale.ROOT, "%.4gM", value / 1e6).replaceFirst("\\.?0+M", "M");
        }
        if (value >= 1e3) {
            return String.format(Locale.ROOT, "%.4gk", value / 1e3).replaceFirst("\\.?0+k", "k");
        }
        return String.format(Locale.ROOT, "%.4f", value).replaceFirst("\\.?0+$", "");
    }
}
