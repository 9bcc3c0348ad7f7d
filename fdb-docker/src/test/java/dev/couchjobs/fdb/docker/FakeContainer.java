package dev.couchjobs.fdb.docker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A container as the scripts see it, but for FoundationDB: fdbcli says what it is told to, fdbserver only notes its
 * start.
 */
final class FakeContainer {
    /** Notes the call and does what was determined for it; asked once more than that it says what ends every loop. */
    private static final String FDBCLI = """
            #!/bin/sh
            echo "fdbcli $*" >>"$MACHINE/calls"
            n=$(grep -c ^fdbcli "$MACHINE/calls")
            if [ -f "$MACHINE/answer$n" ]; then . "$MACHINE/answer$n"; fi
            echo 'The database is available, though nobody said so.'
            """;

    private static final String NOTES_ITS_CALL = """
            #!/bin/sh
            echo "${0##*/} $*" >>"$MACHINE/calls"
            """;

    /**
     * Runs a script and ends when every process has ended that has the script's output, children in the background
     * included. Process's own stream does not wait for these: it ends with the process that was started.
     */
    private static final String RUN = """
            { sh "$0" "$@"; echo $? >"$MACHINE/status"; } 2>&1 | cat""";

    private final Path directory;
    private int answers;

    FakeContainer(Path directory) {
        this.directory = directory;
        write("bin/fdbcli", FDBCLI);
        write("bin/fdbserver", NOTES_ITS_CALL);
        write("bin/sleep", NOTES_ITS_CALL);
        write("calls", "");
        Module.scripts().forEach(script -> write("bin/" + script.getFileName(), Module.read(script)));
    }

    /** Determines what fdbcli does, the next time. */
    FakeContainer fdbcliSays(String text, int exitStatus) {
        answers++;
        write("answer" + answers, "echo \"%s\"\nexit %d\n".formatted(text, exitStatus));
        return this;
    }

    /** {@return what a script did, and said} */
    Outcome run(Map<String, String> environment, String script, String... options) {
        List<String> command =
                new ArrayList<>(List.of("sh", "-c", RUN, file("bin/" + script).toString()));
        command.addAll(List.of(options));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment().put("MACHINE", directory.toString());
        builder.environment().put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
        write("calls", "");
        try {
            Process process = builder.start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            int status = Integer.parseInt(Files.readString(file("status")).strip());
            return new Outcome(status, said, Files.readAllLines(file("calls")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Path file(String name) {
        return directory.resolve(name);
    }

    private void write(String name, String text) {
        try {
            Path file = directory.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What became of a script. */
    record Outcome(int status, String said, List<String> calls) {
        List<String> callsOf(String program) {
            List<String> found = new ArrayList<>(calls);
            found.removeIf(call -> !call.startsWith(program + " "));
            return found;
        }
    }
}
