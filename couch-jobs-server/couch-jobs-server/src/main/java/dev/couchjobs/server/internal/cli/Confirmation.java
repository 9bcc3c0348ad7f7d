package dev.couchjobs.server.internal.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Asks on a terminal whether a command is meant. Elsewhere the command needs {@code --yes}. */
final class Confirmation {
    private Confirmation() {}

    static void ask(Shell shell, Stop stop, boolean isGiven, String question) {
        if (isGiven) {
            return;
        }
        if (!shell.isTerminal()) {
            throw new Failure(Failure.USAGE, question + " There is no terminal to ask at.", "Repeat it with --yes.");
        }
        shell.err().print(Text.plain(question) + " [y/N] ");
        shell.err().flush();
        try {
            String answer = stop.line(new BufferedReader(new InputStreamReader(shell.in(), StandardCharsets.UTF_8)));
            if (answer == null || !answer.strip().toLowerCase(Locale.ROOT).startsWith("y")) {
                throw new Failure(Failure.NOTHING, "Nothing was changed.");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
