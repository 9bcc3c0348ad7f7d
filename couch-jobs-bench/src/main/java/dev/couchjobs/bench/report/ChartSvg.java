package dev.couchjobs.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** One curve of a report as part of an SVG image, both axes logarithmic. */
final class Chart {
    static final int WIDTH = 460;
    static final int HEIGHT = 320;
    private static final int LEFT = 62;
    private static final int RIGHT = 14;
    private static final int TOP = 34;
    private static final int BOTTOM = 46;

    private final Report report;
    private final Curve curve;
    private final double leastX;
    private final double mostX;
    private final double leastY;
    private final double mostY;
    private final StringBuilder svg = new StringBuilder();

    Chart(Report report, Curve curve) {
        this.report = report;
        this.curve = curve;
        leastX = bound(Math::min, Measurement::x);
        mostX = Math.max(bound(Math::max, Measurement::x), leastX * 2);
        leastY = Math.pow(10, Math.floor(Math.log10(bound(Math::min, Chart::y))));
        mostY = Math.max(leastY * 10, Math.pow(10, Math.ceil(Math.log10(bound(Math::max, Chart::y)))));
    }

    private double bound(java.util.function.DoubleBinaryOperator choice, ToDoubleFunction<Measurement> value) {
        return report.of(curve).stream().mapToDouble(value).reduce(choice).orElse(1);
    }

    /** A logarithm has no place for nothing. */
    private static double y(Measurement measurement) {
        return Math.max(measurement.median(), 1e-3);
    }

    String svg() {
        text(WIDTH / 2.0, 18, "middle", "title", curve.title());
        text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8, "middle", "label", curve.x());
        svg.append("<text transform=\"translate(12 %d) rotate(-90)\" text-anchor=\"middle\" class=\"label\">%s</text>%n"
                .formatted((TOP + HEIGHT - BOTTOM) / 2, Plot.escaped(curve.y())));
        grid();
        List<String> all = List.copyOf(report.systems().keySet());
        report.systems(curve).forEach(system -> line(system, all.indexOf(system)));
        return svg.toString();
    }

    private void grid() {
        for (double y = leastY; y <= mostY * 1.001; y *= 10) {
            rule(LEFT, height(y), WIDTH - RIGHT, height(y));
            text(LEFT - 6, height(y) + 4, "end", "tick", tick(y));
        }
        for (int x : report.points(curve)) {
            rule(place(x), TOP, place(x), HEIGHT - BOTTOM);
            text(place(x), HEIGHT - BOTTOM + 16, "middle", "tick", tick(x));
        }
    }

    private void line(String system, int color) {
        StringBuilder points = new StringBuilder();
        StringBuilder dots = new StringBuilder();
        for (int x : report.points(curve)) {
            report.at(curve, system, x).ifPresent(measurement -> {
                String left = number(place(x));
                String top = number(height(y(measurement)));
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

    private double place(double x) {
        return LEFT + share(x, leastX, mostX) * (WIDTH - LEFT - RIGHT);
    }

    private double height(double y) {
        return HEIGHT - BOTTOM - share(y, leastY, mostY) * (HEIGHT - BOTTOM - TOP);
    }

    private static double share(double value, double least, double most) {
        return Math.log(value / least) / Math.log(most / least);
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

    /** 1000 as 1k. */
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
