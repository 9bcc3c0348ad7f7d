package dev.couchjobs.examples;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;

/**
 * Shows how far the jobs are: in place on a terminal, and elsewhere as a line for every tenth of the way. Other lines
 * go through {@link #say}, so that they and the bar do not get into each other's way.
 */
final class ProgressBar {
    private static final int WIDTH = 20;
    private static final int STEPS = 10;

    private final PrintStream out;
    private final boolean inPlace;
    private String shown = ""; // what stands on the last line of a terminal
    private int step = -1;

    ProgressBar(PrintStream out, boolean inPlace) {
        this.out = out;
        this.inPlace = inPlace;
    }

    /** {@return whether the standard output is a terminal} */
    @SuppressWarnings("SystemConsoleNull") // where it is never null, isTerminal decides
    static boolean isOnTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            // A method since Java 22, where there is a console even without a terminal.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    synchronized void show(JobWatch.Counts counts) {
        int finished = counts.finished();
        int all = Math.max(1, counts.pending() + counts.running() + finished);
        String line = String.format(
                Locale.ROOT,
                "[%s] %3d%%  pending %d, running %d, finished %d",
                bar(finished, all),
                100L * finished / all,
                counts.pending(),
                counts.running(),
                finished);
        int stepNow = (int) ((long) STEPS * finished / all);
        if (inPlace) {
            replaceBy(line);
            shown = line;
        } else if (stepNow != step) {
            step = stepNow;
            out.println(line);
        }
    }

    synchronized void say(String line) {
        if (shown.isEmpty()) {
            out.println(line);
        } else {
            replaceBy(line);
            out.println();
            out.print(shown);
            out.flush();
        }
    }

    /** Leaves the bar as it is; what is said from now on stands below it. */
    synchronized void end() {
        if (!shown.isEmpty()) {
            out.println();
            shown = "";
        }
    }

    private static String bar(int finished, int all) {
        int filled = (int) ((long) WIDTH * finished / all);
        return "#".repeat(filled) + "-".repeat(WIDTH - filled);
    }

    private void replaceBy(String line) {
        out.print('\r' + line + " ".repeat(Math.max(0, shown.length() - line.length())));
        out.flush();
    }
}
