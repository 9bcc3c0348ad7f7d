package dev.couchjobs.bench.report;

import dev.couchjobs.bench.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Formats a report as aligned tables in Markdown. */
final class Tables {
    /** As much of an item of a list as fits into 120 columns, and the blank behind it. */
    private static final Pattern LINE = Pattern.compile("(.{1,118})(?: |$)");

    private Tables() {}

    static String markdown(Report report) {
        StringBuilder text = new StringBuilder(head(report));
        for (Chart chart : report.charts()) {
            text.append("\n## ").append(chart.title()).append("\n\n");
            text.append(chart.y()).append("; ").append(chart.isBetterHigher() ? "more" : "less");
            text.append(" is better.\n\n").append(table(report, chart));
        }
        return text.toString();
    }

    private static String head(Report report) {
        return list(report.machine()) + '\n' + list(report.settings()) + '\n' + list(report.systems());
    }

    static String bySystem(Report report) {
        StringBuilder text = new StringBuilder(head(report));
        for (String system : report.systems().keySet()) {
            text.append('\n').append(bySystem(report, system));
        }
        return text.toString();
    }

    private static String bySystem(Report report, String system) {
        List<Integer> points = report.charts().stream()
                .flatMap(chart -> report.points(chart).stream())
                .distinct()
                .sorted()
                .toList();
        Table table = new Table(line(
                system,
                "",
                points.stream().map(x -> String.format(Locale.ROOT, "%,d", x)).toList()));
        for (Chart chart : report.charts()) {
            List<String> cells = points.stream()
                    .map(x -> report.at(chart, system, x)
                            .map(measurement -> number(measurement.median()))
                            .orElse("-"))
                    .toList();
            table.add(line(chart.title(), chart.y(), cells));
        }
        return table.markdown();
    }

    private static String[] line(String first, String second, List<String> cells) {
        return Stream.concat(Stream.of(first, second), cells.stream()).toArray(String[]::new);
    }

    static String table(Report report, Chart chart) {
        List<String> systems = report.systems(chart);
        Table table = new Table(header(chart.x(), systems));
        for (int x : report.points(chart)) {
            List<String> cells = new ArrayList<>(List.of(String.format(Locale.ROOT, "%,d", x)));
            for (String system : systems) {
                cells.add(report.at(chart, system, x)
                        .map(measurement -> number(measurement.median()))
                        .orElse("-"));
            }
            table.add(cells.toArray(String[]::new));
        }
        return table.markdown();
    }

    static String compared(Report report, Report earlier) {
        StringBuilder text = new StringBuilder("Ratio of each figure to the earlier one:\n");
        for (Chart chart : report.charts()) {
            List<String> systems = report.systems(chart);
            Table table = new Table(header(chart.x(), systems));
            for (int x : report.points(chart)) {
                List<String> cells = new ArrayList<>(List.of(String.format(Locale.ROOT, "%,d", x)));
                for (String system : systems) {
                    Optional<Measurement> before = earlier.at(chart, system, x);
                    cells.add(Table.ratio(
                            report.at(chart, system, x).map(Measurement::median).orElse(0.0),
                            before.map(Measurement::median).orElse(0.0)));
                }
                table.add(cells.toArray(String[]::new));
            }
            text.append("\n## ")
                    .append(chart.title())
                    .append(", now / before\n\n")
                    .append(table.markdown());
        }
        return text.toString();
    }

    /** Formats a number with at least three significant digits. */
    static String number(double value) {
        double magnitude = Math.abs(value);
        return String.format(Locale.ROOT, magnitude >= 100 ? "%,.0f" : magnitude >= 10 ? "%.1f" : "%.2f", value);
    }

    private static String[] header(String x, List<String> systems) {
        List<String> header = new ArrayList<>(List.of(x));
        header.addAll(systems);
        return header.toArray(String[]::new);
    }

    private static String list(Map<String, String> values) {
        StringBuilder text = new StringBuilder();
        values.forEach((name, value) -> text.append("- ")
                .append(LINE.matcher(name + ": " + value).replaceAll("$1\n  ").strip())
                .append('\n'));
        return text.toString();
    }
}
