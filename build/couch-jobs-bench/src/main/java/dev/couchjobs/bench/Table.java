package dev.couchjobs.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table of text with aligned columns. */
public final class Table {
    private final List<List<String>> lines = new ArrayList<>();

    /**
     * Creates a table with a header.
     *
     * @param header the cells of the header
     */
    public Table(String... header) {
        add(header);
    }

    /**
     * Adds a line.
     *
     * @param cells the cells of the line
     */
    public void add(String... cells) {
        lines.add(List.of(cells));
    }

    /**
     * Formats the ratio of {@code number} to {@code of}.
     *
     * @param number the numerator, 0 if it is not known
     * @param of the denominator, 0 if it is not known
     * @return the ratio to two decimals, or a dash if one of them is not known
     */
    public static String ratio(double number, double of) {
        return number > 0 && of > 0 ? String.format(Locale.ROOT, "%.2f", number / of) : "-";
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (List<String> line : lines) {
            for (int column = 0; column < line.size(); column++) {
                String cell = line.get(column);
                String padding = " ".repeat(width(column) - cell.length());
                text.append(column == 0 ? cell + padding : "  " + padding + cell);
            }
            text.append('\n');
        }
        return text.toString();
    }

    /** {@return the table in Markdown, with all columns but the first aligned to the right} */
    public String markdown() {
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < lines.size(); line++) {
            text.append(markdown(lines.get(line), " ")).append('\n');
            if (line == 0) {
                text.append(markdown(lines.get(0).stream().map(cell -> "").toList(), "-"))
                        .append('\n');
            }
        }
        return text.toString();
    }

    private String markdown(List<String> line, String filler) {
        StringBuilder text = new StringBuilder("|");
        for (int column = 0; column < line.size(); column++) {
            String padding =
                    filler.repeat(Math.max(2, width(column)) - line.get(column).length());
            boolean isRule = filler.equals("-");
            text.append(isRule ? "-" : " ")
                    .append(column == 0 ? line.get(column) + padding : padding + line.get(column));
            text.append(isRule ? column == 0 ? "-|" : ":|" : " |");
        }
        return text.toString();
    }

    private int width(int column) {
        return lines.stream()
                .filter(line -> line.size() > column)
                .mapToInt(line -> line.get(column).length())
                .max()
                .orElse(0);
    }
}
