package dev.couchjobs.server.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Application;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that runs commands within its process keeps nothing of them. */
class ClosedCommandTest {
    /** With all classes anew, a second time shows the same. */
    private static final int TIMES = Boolean.getBoolean("long") ? 2 : 1;

    @Test
    @Tag("long")
    void aProgramThatRunsCommandsLeavesNothing(@TempDir Path directory) {
        for (int i = 0; i < TIMES; i++) {
            Application.withAllClasses(Commands.class).assertLeavesNothing(directory);
        }
    }

    public static class Commands implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            String place = directory.resolve("jobs").toString();
            run(0, "add", "mail", "{}", "--directory", place);
            run(0, "list", "--directory", place);
            run(0, "bench", "--directory", place, "--jobs", "5");
            run(0, "export", "--directory", place);
            serve(directory);
            run(Failure.FAILED, "list", "--url", "http://127.0.0.1:1");
        }

        /** A server that is interrupted in place of a signal. */
        private static void serve(Path directory) {
            Thread command = Thread.currentThread();
            PrintWriter interrupting = new PrintWriter(Writer.nullWriter()) {
                @Override
                public void println(String line) {
                    if (line.startsWith("Every caller")) {
                        command.interrupt();
                    }
                }
            };
            String place = directory.resolve("served").toString();
            assertThat(RootCommand.run(shell(interrupting), "serve", "--directory", place, "--port", "0"))
                    .isEqualTo(Failure.FAILED);
        }

        private static void run(int expected, String... arguments) {
            StringWriter said = new StringWriter();
            assertThat(RootCommand.run(shell(new PrintWriter(said)), arguments))
                    .as(said.toString())
                    .isEqualTo(expected);
        }

        private static Shell shell(PrintWriter writer) {
            return new Shell(
                    Map.of(), InputStream.nullInputStream(), writer, writer, false, () -> new Shell.Screen(24, 80));
        }
    }
}
