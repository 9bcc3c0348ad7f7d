package dev.couchjobs.bridge.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.testing.TestClient;
import dev.couchjobs.fdb.testing.Polling;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A command with a child that runs until it is ended, and writes the ids of both to a named pipe. */
final class LongCommand {
    /** The command, for the directory of the pipe. */
    static final String TEXT = "tail -f /dev/null & echo $! $$ >numbers; wait";

    private final Path pipe;

    /**
     * Creates the pipe.
     *
     * @param directory the directory in which the command will run
     */
    LongCommand(Path directory) {
        pipe = directory.resolve("numbers");
        try {
            Files.deleteIfExists(pipe);
            Process made = new ProcessBuilder("mkfifo", pipe.toString()).start();
            assertThat(made.onExit().join().exitValue()).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the processes of the command, as soon as it runs} */
    List<ProcessHandle> processes() {
        String numbers = DocumentClient.await(CompletableFuture.supplyAsync(this::read, TestClient.THREADS));
        return numbers.strip()
                .lines()
                .flatMap(line -> List.of(line.split(" ", -1)).stream())
                .map(number -> ProcessHandle.of(Long.parseLong(number)).orElseThrow())
                .toList();
    }

    private String read() {
        try {
            return Files.readString(pipe);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until all of them have ended. */
    static void awaitEnd(List<ProcessHandle> processes) {
        while (!processes.stream().allMatch(LongCommand::hasEnded)) {
            Polling.pause();
        }
    }

    /** One whose parent was killed stays a zombie where the first process of a container does not wait for it. */
    private static boolean hasEnded(ProcessHandle process) {
        try {
            String state = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return state.substring(state.lastIndexOf(')')).startsWith(") Z");
        } catch (IOException none) {
            return !process.isAlive();
        }
    }
}
