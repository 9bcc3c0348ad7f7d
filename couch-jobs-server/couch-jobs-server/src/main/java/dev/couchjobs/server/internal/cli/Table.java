package dev.couchjobs.server.internal.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;

/** A table with a column for each field of the items of a reply. Columns in which nothing stands are left out. */
final class Table {
    private static final String GAP = "  ";
    private static final int NARROWEST = 6;
    private static final Set<String> BAD = Set.of("failed", "expired", "down", "fault");
    private static final Set<String> DOUBTFUL =
            Set.of("paused", "lost?", "degraded", "retrying", "cancelled", "blocked");
    private static final Set<String> GOOD = Set.of("running", "succeeded", "up", "mended");

    private final List<String> header = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();
    private final boolean[] isNumeric;

    /** Columns by the names of fields; {@code a.b} is a field of a field. */
    Table(List<String> fields, Iterable<JsonNode> items) {
        isNumeric = new boolean[fields.size()];
        Arrays.fill(isNumeric, true);
        for (String field : fields) {
            header.add(heading(field));
        }
        for (JsonNode item : items) {
            List<String> row = new ArrayList<>();
            for (int i = 0; i < fields.size(); i++) {
                JsonNode value = item.at("/" + fields.get(i).replace('.', '/'));
                isNumeric[i] &= value.isNumber() || value.isMissingNode();
                row.add(Text.of(value));
            }
            rows.add(row);
        }
    }

    /** {@code lastAttempt.by} is headed BY, {@code failedAt} FAILED AT. */
    private static String heading(String field) {
        String name = field.substring(field.lastIndexOf('.') + 1);
        return name.replaceAll("([a-z])([A-Z])", "$1 $2").toUpperCase(Locale.ROOT);
    }

    /**
     * {@return the lines, with the header; columns that have no room are left out, the last first}
     *
     * @param columns the width of the terminal; 0 for any
     */
    List<String> lines(int columns, boolean isColoured) {
        int[] shown = IntStream.range(0, header.size())
                .filter(i -> rows.stream().anyMatch(row -> !row.get(i).isEmpty()))
                .toArray();
        int[] widths = fit(shown, columns);
        while (columns > 0 && shown.length > 1 && total(widths) > columns) {
            shown = Arrays.copyOf(shown, shown.length - 1);
            widths = fit(shown, columns);
        }
        List<String> lines = new ArrayList<>();
        lines.add(style("1", line(header, shown, widths, false), isColoured));
        for (List<String> row : rows) {
            lines.add(line(row, shown, widths, isColoured));
        }
        return lines;
    }

    private static int total(int[] widths) {
        return Arrays.stream(widths).sum() + GAP.length() * Math.max(0, widths.length - 1);
    }

    /** Takes from the widest column until all have room. */
    private int[] fit(int[] shown, int columns) {
        int[] widths = Arrays.stream(shown).map(this::width).toArray();
        int excess = total(widths) - columns;
        while (columns > 0 && excess > 0) {
            int widest = IntStream.range(0, widths.length)
                    .reduce((a, b) -> widths[b] > widths[a] ? b : a)
                    .orElse(0);
            if (widths[widest] <= NARROWEST) {
                break;
            }
            widths[widest]--;
            excess--;
        }
        return widths;
    }

    private int width(int column) {
        return Math.max(
                Text.width(header.get(column)),
                rows.stream().mapToInt(row -> Text.width(row.get(column))).max().orElse(0));
    }

    private String line(List<String> row, int[] shown, int[] widths, boolean isColoured) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < shown.length; i++) {
            String text = Text.cut(row.get(shown[i]), widths[i]);
            String room = " ".repeat(Math.max(0, widths[i] - Text.width(text)));
            boolean isLast = i == shown.length - 1;
            String cell = style(colour(text), text, isColoured);
            line.append(isNumeric[shown[i]] ? room + cell : isLast ? cell : cell + room);
            line.append(isLast ? "" : GAP);
        }
        return line.toString();
    }

    private static String colour(String word) {
        if (BAD.contains(word)) {
            return "31";
        }
        if (DOUBTFUL.contains(word)) {
            return "33";
        }
        return GOOD.contains(word) ? "32" : "";
    }

    private static String style(String code, String text, boolean isColoured) {
        return isColoured && !code.isEmpty() ? "\u001B[" + code + "m" + text + "\u001B[0m" : text;
    }
}
