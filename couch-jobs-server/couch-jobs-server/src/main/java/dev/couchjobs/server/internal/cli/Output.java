package dev.couchjobs.server.internal.cli;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** Writes what a command has to say: the JSON of the API, or tables for readers. Notes go to standard error. */
final class Output {
    private final Shell shell;
    private final boolean isJson;

    Output(Shell shell, boolean isJson) {
        this.shell = shell;
        this.isJson = isJson;
    }

    boolean isJson() {
        return isJson;
    }

    Shell shell() {
        return shell;
    }

    /** Writes a line of JSON with the meaning that the API gives it. */
    void json(String text) {
        shell.out().println(Text.json(text));
    }

    /** Writes a line for readers. */
    void line(String text) {
        shell.out().println(Text.plain(text));
    }

    /** Writes a line of a stream: the JSON of a row, or a text for readers. */
    void change(JsonNode row, String text) {
        if (isJson) {
            json(row.toString());
        } else {
            line(text);
        }
        shell.out().flush();
    }

    /** Writes a line that is no result, but helps. */
    void note(String text) {
        shell.err().println(Text.plain(text));
    }

    /** {@return whether the reader of the output has gone} */
    boolean isClosed() {
        return shell.out().checkError();
    }

    /** Writes a table, or a note if there is nothing to show. */
    void table(List<String> fields, Iterable<JsonNode> items) {
        if (!items.iterator().hasNext()) {
            note("There are none.");
            return;
        }
        lines(
                        new Table(fields, items),
                        shell.isTerminal() ? shell.screen().get().columns() : 0)
                .forEach(shell.out()::println);
    }

    List<String> lines(Table table, int columns) {
        return table.lines(columns, shell.isColoured());
    }

    /** Writes each field of an object in a line. */
    void fields(JsonNode object) {
        int width = object.propertyNames().stream().mapToInt(Text::width).max().orElse(0);
        object.forEachEntry((name, value) -> {
            String text = Text.of(value);
            if (!text.isEmpty()) {
                shell.out().println(Text.plain(name) + " ".repeat(width - Text.width(name) + 2) + text);
            }
        });
    }
}
