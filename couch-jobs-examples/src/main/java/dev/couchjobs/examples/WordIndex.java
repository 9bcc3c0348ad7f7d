package dev.couchjobs.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Builds a word index over a directory of text files: one job per file, several processors, one of which is abandoned
 * half-way. The index survives that, because every write to it goes through the fence of a job.
 *
 * <p>Begin to read with {@code IndexProcessor}, which does the work, and {@code IndexQueue}, which hands it out.
 */
public final class WordIndex {
    private static final int RIGHT = 0;
    private static final int WRONG = 1;
    private static final int USAGE = 2;
    private static final int TOP_WORDS = 5;

    private static final String HELP = """
            Usage: WordIndex [PATH]

            Builds a word index over the text files under the directory PATH (by default the current one) in an
            embedded database: one job per file, four processors, one of which is abandoned half-way. At the end
            the index is compared with a plain count of the same files.

            Exit status: 0 if they agree or there is nothing to index, 1 if not, 2 if PATH cannot be read.""";

    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;
    private final boolean onTerminal;

    WordIndex(InputStream in, PrintStream out, PrintStream err, boolean onTerminal) {
        this.in = in;
        this.out = out;
        this.err = err;
        this.onTerminal = onTerminal;
    }

    /**
     * Runs the example, and ends the process where it did not succeed.
     *
     * @param args the directory, if it is not the current one
     */
    public static void main(String[] args) {
        int status = new WordIndex(System.in, System.out, System.err, ProgressBar.isOnTerminal()).run(List.of(args));
        if (status != RIGHT) {
            System.exit(status);
        }
    }

    /** {@return the exit status} */
    int run(List<String> args) {
        if (args.contains("--help") || args.contains("-h")) {
            out.println(HELP);
            return RIGHT;
        }
        if (args.size() > 1 || args.stream().anyMatch(arg -> arg.startsWith("-"))) {
            err.println("One PATH is expected, these were given: " + args + ". Put quotes around a path with spaces.");
            err.println(HELP);
            return USAGE;
        }
        return indexUnder(args.isEmpty() || args.get(0).isEmpty() ? "." : args.get(0));
    }

    private int indexUnder(String name) {
        try {
            Path root = Path.of(name);
            if (!Files.exists(root)) {
                return refuse("There is no " + name + ".");
            }
            if (!Files.isDirectory(root)) {
                return refuse(name + " is not a directory; give one.");
            }
            if (!Files.isReadable(root)) {
                return refuse(name + " may not be read by this user.");
            }
            return index(root.toRealPath(), name);
        } catch (InvalidPathException e) {
            return refuse("Not a valid path: " + name);
        } catch (IOException e) {
            return refuse(name + " cannot be listed: " + e.getMessage());
        } catch (RuntimeException e) {
            err.println("The run failed: " + e);
            return WRONG;
        }
    }

    private int refuse(String why) {
        err.println(why);
        return USAGE;
    }

    private int index(Path root, String name) throws IOException {
        TextFiles.Listing listing = TextFiles.under(root);
        listing.skipped().forEach((path, why) -> out.println(path + ": skipped, " + why));
        String binaries =
                listing.binaries() == 0 ? "" : " (" + Totals.counted(listing.binaries(), "binary file") + " skipped)";
        if (listing.texts().isEmpty()) {
            out.println("Nothing to index: there is no text file under " + name + binaries + ".");
            return RIGHT;
        }
        IndexRun.Settings settings = IndexRun.Settings.toWatch(listing.texts().size());
        try (Playground playground = new Playground();
                RunDashboard dashboard = RunDashboard.of(playground)) {
            out.printf(
                    Locale.ROOT,
                    "%s under %s%s: one job for each.%n"
                            + "%d processors run %d jobs at once each; each job is slowed by %d ms to be seen.%n"
                            + "The dashboard: %s%n",
                    Totals.counted(listing.texts().size(), "text file"),
                    name,
                    binaries,
                    settings.processors(),
                    settings.jobsAtOnce(),
                    settings.pace().toMillis(),
                    dashboard.address());
            ProgressBar bar = new ProgressBar(out, onTerminal);
            int status = show(new IndexRun(root, listing.texts(), settings, bar).run(playground));
            if (onTerminal) {
                out.println("The dashboard shows the jobs until you press Enter.");
                awaitLine();
            }
            return status;
        }
    }

    private void awaitLine() {
        try {
            int read = in.read();
            while (read >= 0 && read != '\n') {
                read = in.read();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int show(IndexResult result) {
        result.leftOut().forEach((path, why) -> out.println(path + ": not compared, " + why));
        out.printf(
                Locale.ROOT,
                "%nThe index: %s, %,d words, %,d distinct.%nMost often: %s.%n",
                Totals.counted(result.index().files(), "file"),
                result.index().words(),
                result.index().differentWords(),
                result.index().top(TOP_WORDS));
        out.println(result.summary());
        return result.isRight() ? RIGHT : WRONG;
    }
}
