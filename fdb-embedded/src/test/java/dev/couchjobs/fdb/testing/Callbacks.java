package dev.couchjobs.fdb.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** What users' code may throw, and the page that says what follows, for the tests of all modules. */
public final class Callbacks {
    /** Each kind of throwable, by its name. */
    public static final Map<String, Supplier<Throwable>> THROWABLES = Map.of(
            "an exception", () -> new IllegalStateException("bad luck"),
            "a checked exception by stealth", () -> new IOException("bad disk"),
            "NoClassDefFoundError", () -> new NoClassDefFoundError("Missing"),
            "StackOverflowError", StackOverflowError::new,
            "OutOfMemoryError", () -> new OutOfMemoryError("not really"),
            "ThreadDeath", ThreadDeath::new,
            "an exception without a message", NullPointerException::new,
            "an exception whose text throws", Mute::new,
            "an exception that is its own cause", Endless::new,
            "an exception whose cause throws", Secretive::new);

    private Callbacks() {}

    /** A message that cannot be had. */
    private static final class Mute extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }

        @Override
        public String toString() {
            throw new NoClassDefFoundError("no text");
        }
    }

    /** Its own cause. */
    private static final class Endless extends CompletionException {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            return this;
        }
    }

    /** A cause and frames that cannot be had. */
    private static final class Secretive extends CompletionException {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("no cause");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new IllegalStateException("no frames");
        }
    }

    /** {@return the callbacks that docs/callbacks.md lists in a section} */
    public static List<String> documented(String section) throws IOException {
        return Files.readString(Project.root().resolve("docs/callbacks.md"))
                .lines()
                .dropWhile(line -> !line.equals("## " + section))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split("\\|", -1)[1].replace("`", "").strip())
                .toList();
    }
}
