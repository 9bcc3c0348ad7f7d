package dev.couchjobs.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Draws the charts of a report as an SVG image for light and dark backgrounds. */
final class Plot {
    private static final int COLUMNS = 2;
    private static final int LEGEND = 24;
    private static final int MARGIN = 12;
    private static final int NOTE_LETTERS = 150;
    private static final int WIDTH = COLUMNS * ChartSvg.WIDTH + 2 * MARGIN;
    /** The palette of Okabe and Ito, which colour-blind people can tell apart; the first colours are for couch-jobs. */
    private static final List<String> COLORS =
            List.of("#0072b2", "#009e73", "#56b4e9", "#888888", "#e69f00", "#d55e00", "#cc79a7");

    private Plot() {}

    static String svg(Report report) {
        List<Chart> charts = report.charts().stream()
                .filter(chart -> !report.of(chart).isEmpty())
                .toList();
        List<String> notes = notes(report);
        int rows = (charts.size() + COLUMNS - 1) / COLUMNS;
        int legends = (report.systems().size() + 2) / 3;
        int top = MARGIN + legends * LEGEND;
        int height = top + rows * ChartSvg.HEIGHT + notes.size() * 16 + MARGIN;
        StringBuilder svg = new StringBuilder();
        svg.append(("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " role=\"img\">%n")
                .formatted(WIDTH, height, WIDTH, height));
        svg.append("<title>couch-jobs and its peers</title>\n").append(style());
        svg.append("<rect class=\"ground\" width=\"%d\" height=\"%d\"/>%n".formatted(WIDTH, height));
        svg.append(legend(List.copyOf(report.systems().keySet())));
        for (int index = 0; index < charts.size(); index++) {
            svg.append("<g transform=\"translate(%d %d)\">%n%s</g>%n"
                    .formatted(
                            MARGIN + index % COLUMNS * ChartSvg.WIDTH,
                            top + index / COLUMNS * ChartSvg.HEIGHT,
                            new ChartSvg(report, charts.get(index)).svg()));
        }
        for (int index = 0; index < notes.size(); index++) {
            svg.append("<text x=\"%d\" y=\"%d\" class=\"tick\">%s</text>%n"
                    .formatted(2 * MARGIN, top + rows * ChartSvg.HEIGHT + 12 + index * 16, escaped(notes.get(index))));
        }
        return svg.append("</svg>\n").toString();
    }

    private static String legend(List<String> systems) {
        StringBuilder svg = new StringBuilder();
        int width = (WIDTH - 4 * MARGIN) / 3;
        for (int index = 0; index < systems.size(); index++) {
            int left = 2 * MARGIN + index % 3 * width;
            int middle = MARGIN + 10 + index / 3 * LEGEND;
            svg.append("<path class=\"line%d\" d=\"M%d %dh22\"/><circle class=\"dot%d\" cx=\"%d\" cy=\"%d\" r=\"3\"/>%n"
                    .formatted(index, left, middle, index, left + 11, middle));
            svg.append("<text x=\"%d\" y=\"%d\" class=\"label\">%s</text>%n"
                    .formatted(left + 30, middle + 4, escaped(systems.get(index))));
        }
        return svg.toString();
    }

    /** The machine and the settings, each in as few lines as they fit into. */
    private static List<String> notes(Report report) {
        List<String> notes = new ArrayList<>();
        for (Map<String, String> properties : List.of(report.machine(), report.settings())) {
            StringBuilder line = new StringBuilder();
            for (String value : properties.values()) {
                if (line.length() + value.length() > NOTE_LETTERS && !line.isEmpty()) {
                    notes.add(line.toString());
                    line.setLength(0);
                }
                line.append(line.isEmpty() ? "" : "; ").append(value);
            }
            notes.add(line.toString());
        }
        return notes;
    }

    static String style() {
        StringBuilder style = new StringBuilder("<style>\n");
        style.append("text{font-family:system-ui,'DejaVu Sans',sans-serif;fill:#24292f}");
        style.append(
                ".title{font-size:14px;font-weight:600}.label{font-size:12px}.tick{font-size:11px;fill:#57606a}\n");
        style.append(".ground{fill:#ffffff}.grid{stroke:#d0d7de;stroke-width:1;fill:none}\n");
        for (int index = 0; index < COLORS.size(); index++) {
            style.append(".line%d{stroke:%s;stroke-width:2;fill:none}.dot%d{fill:%s}%n"
                    .formatted(index, COLORS.get(index), index, COLORS.get(index)));
        }
        style.append("@media (prefers-color-scheme:dark){text{fill:#e6edf3}.tick{fill:#9da7b3}");
        style.append(".ground{fill:#0d1117}.grid{stroke:#30363d}}\n");
        return style.append("</style>\n").toString();
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
