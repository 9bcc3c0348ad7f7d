package dev.couchjobs.bench.report;

import dev.couchjobs.bench.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A report as tables in Markdown that are aligned, too. */
final class Tables {
    private Tables() {}

    static String markdown(Report report) {
        StringBuilder text = new StringBuilder(head(report));
        for (Curve curve : report.curves()) {
            text.append("\n## ").append(curve.title()).append("\n\n");
            text.append(curve.y()).append("; ").append(curve.isBetterHigher() ? "more" : "less");
            text.append(" is better.\n\n").append(table(report, curve));
        }
        return text.toString();
    }

    private static String head(Report report) {
        return list(report.machine()) + '\n' + list(report.settings()) + '\n' + list(report.systems());
    }

    static String byFigure(Report report) {
        StringBuilder text = new StringBuilder(head(report));
        for (String system : report.systems().keySet()) {
            text.append('\n').append(byFigure(report, system));
        }
        return text.toString();
    }

    private static String byFigure(Report report, String system) {
        List<Integer> points = report.curves().stream()
                .flatMap(curve -> report.points(curve).stream())
                .distinct()
                .sorted()
                .toList();
        Table table = new Table(line(
                system,
                "",
                points.stream().map(x -> String.format(Locale.ROOT, "%,d", x)).toList()));
        for (Curve curve : report.curves()) {
            List<String> cells = points.stream()
                    .map(x -> report.at(curve, system, x)
                            .map(measurement -> number(measurement.median()))
                            .orElse("-"))
                    .toList();
            table.add(line(curve.title(), curve.y(), cells));
        }
        return table.markdown();
    }

    private static String[] line(String first, String second, List<String> rest) {
        return Stream.concat(Stream.of(first, second), rest.stream()).toArray(String[]::new);
    }

    static String table(Report report, Curve curve) {
        List<String> systems = report.systems(curve);
        Table table = new Table(header(curve.x(), systems));
        for (int x : report.points(curve)) {
            List<String> cells = new ArrayList<>(List.of(String.format(Locale.ROOT, "%,d", x)));
            for (String system : systems) {
                cells.add(report.at(curve, system, x)
                        .map(measurement -> number(measurement.median()))
                        .orElse("-"));
            }
            table.add(cells.toArray(String[]::new));
        }
        return table.markdown();
    }

    static String compared(Report report, Report earlier) {
        StringBuilder text = new StringBuilder("How many times each figure is what it was before:\n");
        for (Curve curve : report.curves()) {
            List<String> systems = report.systems(curve);
            Table table = new Table(header(curve.x(), systems));
            for (int x : report.points(curve)) {
                List<String> cells = new ArrayList<>(List.of(String.format(Locale.ROOT, "%,d", x)));
                for (String system : systems) {
                    Optional<Measurement> before = earlier.at(curve, system, x);
                    cells.add(Table.ratio(
                            report.at(curve, system, x).map(Measurement::median).orElse(0.0),
                            before.map(Measurement::median).orElse(0.0)));
                }
                table.add(cells.toArray(String[]::new));
            }
            text.append("\n## ")
                    .append(curve.title())
                    .append(", now / before\n\n")
                    .append(table.markdown());
        }
        return text.toString();
    }

    /** Three digits that count. */
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
        values.forEach((name, value) ->
                text.append("- ").append(name).append(": ").append(value).append('\n'));
        return text.toString();
    }
}
