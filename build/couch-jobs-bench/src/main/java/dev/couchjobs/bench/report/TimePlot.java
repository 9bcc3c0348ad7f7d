package dev.couchjobs.bench.report;

import java.util.List;
import java.util.Locale;

/** Draws charts over time, one below the other, as an SVG image for light and dark backgrounds. */
public final class TimePlot {
    private static final int WIDTH = 920;
    private static final int HEIGHT = 190;
    private static final int LEFT = 70;
    private static final int RIGHT = 20;
    private static final int TOP = 44;
    private static final int BOTTOM = 26;
    /** The width of a label without its text, and that of a letter. */
    private static final int LABEL_WIDTH = 40;

    private static final double LETTER_WIDTH = 6.3;
    private static final int TICKS_X = 6;
    private static final int TICKS_Y = 4;

    private final TimeChart chart;
    private final double minutes;
    private final double top;
    private final double bottom;
    private final StringBuilder svg = new StringBuilder();

    private TimePlot(TimeChart chart, double minutes) {
        this.chart = chart;
        this.minutes = minutes;
        double highest = chart.lines().stream()
                .flatMap(line -> line.points().stream())
                .mapToDouble(TimeChart.Point::value)
                .max()
                .orElse(1);
        bottom = chart.isLogarithmic() ? 1 : 0;
        top = chart.isLogarithmic()
                ? Math.pow(10, Math.max(1, Math.ceil(Math.log10(highest))))
                : Math.max(1, highest * 1.05);
    }

    /**
     * {@return the image}
     *
     * @param title its title
     * @param charts the charts
     * @param marks the times of vertical lines
     * @param minutes the length of the axis of time
     * @param note a line below
     */
    public static String svg(String title, List<TimeChart> charts, List<Double> marks, double minutes, String note) {
        int height = charts.size() * HEIGHT + 30;
        StringBuilder svg = new StringBuilder();
        svg.append(("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " role=\"img\">%n")
                .formatted(WIDTH, height, WIDTH, height));
        svg.append("<title>").append(Plot.escaped(title)).append("</title>\n").append(Plot.style());
        svg.append("<rect class=\"ground\" width=\"%d\" height=\"%d\"/>%n".formatted(WIDTH, height));
        for (int index = 0; index < charts.size(); index++) {
            svg.append("<g transform=\"translate(0 %d)\">%n%s</g>%n"
                    .formatted(index * HEIGHT, new TimePlot(charts.get(index), minutes).draw(marks)));
        }
        svg.append("<text x=\"%d\" y=\"%d\" class=\"tick\">%s; minutes</text>%n"
                .formatted(LEFT, height - 10, Plot.escaped(note)));
        return svg.append("</svg>\n").toString();
    }

    private String draw(List<Double> marks) {
        text(LEFT, 18, "start", "title", chart.title());
        for (int tick = 0; tick <= TICKS_X; tick++) {
            double minute = minutes * tick / TICKS_X;
            text(x(minute), HEIGHT - BOTTOM + 15, "middle", "tick", String.format(Locale.ROOT, "%.4g", minute));
        }
        for (int tick = 0; tick <= TICKS_Y; tick++) {
            double value = chart.isLogarithmic() ? Math.pow(top, (double) tick / TICKS_Y) : top * tick / TICKS_Y;
            rule(LEFT, y(value), WIDTH - RIGHT, y(value), 1);
            text(LEFT - 6, y(value) + 4, "end", "tick", String.format(Locale.ROOT, "%,.0f", value));
        }
        marks.forEach(minute -> rule(x(minute), TOP, x(minute), HEIGHT - BOTTOM, 2));
        double left = LEFT;
        for (int index = 0; index < chart.lines().size(); index++) {
            TimeChart.Line line = chart.lines().get(index);
            line(line, index, left);
            left += LABEL_WIDTH + LETTER_WIDTH * line.label().length();
        }
        return svg.toString();
    }

    private void line(TimeChart.Line line, int color, double left) {
        StringBuilder points = new StringBuilder();
        line.points()
                .forEach(point -> points.append(number(x(point.minute())))
                        .append(',')
                        .append(number(y(point.value())))
                        .append(' '));
        svg.append("<polyline class=\"line%d\" points=\"%s\"/>%n"
                .formatted(color, points.toString().strip()));
        svg.append("<path class=\"line%d\" d=\"M%s 31h18\"/>%n".formatted(color, number(left)));
        text(left + 24, 35, "start", "tick", line.label());
    }

    private double x(double minute) {
        return LEFT + Math.min(1, minute / minutes) * (WIDTH - LEFT - RIGHT);
    }

    private double y(double value) {
        double part = chart.isLogarithmic() ? Math.log(Math.max(value, bottom)) / Math.log(top) : value / top;
        return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP);
    }

    private void rule(double fromX, double fromY, double toX, double toY, int width) {
        svg.append("<path class=\"grid\" stroke-width=\"%d\" d=\"M%s %sL%s %s\"/>%n"
                .formatted(width, number(fromX), number(fromY), number(toX), number(toY)));
    }

    private void text(double x, double y, String anchor, String style, String text) {
        svg.append("<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" class=\"%s\">%s</text>%n"
                .formatted(number(x), number(y), anchor, style, Plot.escaped(text)));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
