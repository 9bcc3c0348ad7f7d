package dev.couchjobs.server.internal.cli;

import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What surrounds a command.
 *
 * @param environment the variables of the environment
 * @param in standard input, in UTF-8
 * @param out standard output
 * @param err standard error
 * @param isTerminal whether input and output are a terminal
 * @param screen asks for the size of the terminal
 */
record Shell(
        Map<String, String> environment,
        InputStream in,
        PrintWriter out,
        PrintWriter err,
        boolean isTerminal,
        Supplier<Screen> screen) {
    private static final Screen STANDARD = new Screen(24, 80);

    /**
     * The size of a terminal.
     *
     * @param rows its lines
     * @param columns the characters of a line
     */
    record Screen(int rows, int columns) {}

    /** {@return the shell of this process} */
    static Shell ofProcess() {
        return new Shell(
                System.getenv(),
                System.in,
                new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), true),
                new PrintWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8), true),
                isTerminal(System.console()),
                Shell::askTerminal);
    }

    /** {@return whether output may have colours: not with {@code NO_COLOR} (no-color.org), nor in a dumb terminal} */
    boolean isColoured() {
        return isTerminal
                && environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "").equals("dumb");
    }

    /** {@return whether lines on the screen can be written again} */
    boolean isRedrawn() {
        return isTerminal && !environment.getOrDefault("TERM", "").equals("dumb");
    }

    /** From Java 22 on there is a console without a terminal, too. */
    private static boolean isTerminal(@Nullable Console console) {
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException olderJava) {
            return true;
        }
    }

    private static Screen askTerminal() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            List<String> size;
            try (InputStream answer = stty.getInputStream()) {
                size = List.of(new String(answer.readAllBytes(), StandardCharsets.US_ASCII)
                        .strip()
                        .split(" ", -1));
            }
            Screen screen = new Screen(Integer.parseInt(size.get(0)), Integer.parseInt(size.get(1)));
            return screen.columns() > 0 && screen.rows() > 0 ? screen : STANDARD;
        } catch (IOException | RuntimeException unknown) {
            return STANDARD;
        }
    }
}
