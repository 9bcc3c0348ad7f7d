package dev.couchjobs.bridge.acceptance;

import dev.couchjobs.bridge.testing.TestClient;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A bridge in its own process, which can be killed. */
final class BridgeProcess implements AutoCloseable {
    private static final int PATIENCE_S = 90;
    private static final String CLIENT = "FDB_LIBRARY_PATH_FDB_C";

    private final Process process;
    private final Path log;
    private final BufferedReader said;

    private BridgeProcess(Process process, Path log) {
        this.log = log;
        this.process = process;
        this.said = process.inputReader(StandardCharsets.UTF_8);
    }

    /**
     * Starts a bridge.
     *
     * @param options options of the virtual machine
     * @return the process, when its bridge runs
     */
    static BridgeProcess start(Class<?> main, Path configuration, String... options) {
        BridgeProcess bridge = begin(main, configuration, options);
        bridge.awaitLine("runs");
        return bridge;
    }

    /** {@return a process, without waiting for its bridge} */
    static BridgeProcess begin(Class<?> main, Path configuration, String... options) {
        List<String> more = new ArrayList<>(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=info"));
        // The new process uses the native client of this one.
        Optional.ofNullable(System.getProperty(CLIENT)).ifPresent(file -> more.add("-D" + CLIENT + "=" + file));
        more.addAll(List.of(options));
        File log = configuration.resolveSibling("bridge.log").toFile();
        try {
            return new BridgeProcess(
                    new ProcessBuilder(command(main, configuration, more, List.of(configuration.toString())))
                            .redirectError(ProcessBuilder.Redirect.appendTo(log))
                            .start(),
                    log.toPath());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the output of the program for a question about a document} */
    static String why(Class<?> main, Path configuration, String document) {
        List<String> question = List.of("--why", document, configuration.toString());
        try {
            Process process = new ProcessBuilder(command(main, configuration, List.of(), question))
                    .redirectErrorStream(true)
                    .start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> command(
            Class<?> main, Path configuration, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")); // for processes that live for seconds
        // Otherwise Java warns of what RocksDB and the FoundationDB client do, from 23 on.
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+IgnoreUnrecognizedVMOptions"));
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.add("-Djava.io.tmpdir=" + configuration.getParent()); // the test deletes what a killed process leaves
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return command;
    }

    /** {@return the next line with the given end} */
    String awaitLine(String end) {
        return CompletableFuture.supplyAsync(() -> read(end), TestClient.THREADS)
                .orTimeout(PATIENCE_S, TimeUnit.SECONDS)
                .join();
    }

    /** {@return the first line of its log that contains a text, as soon as it exists} */
    String awaitLog(String part) {
        try {
            Process follower = new ProcessBuilder("tail", "-n", "+1", "-f", log.toString()).start();
            BufferedReader lines = follower.inputReader(StandardCharsets.UTF_8);
            try {
                return CompletableFuture.supplyAsync(
                                () -> lines.lines()
                                        .filter(line -> line.contains(part))
                                        .findFirst(),
                                TestClient.THREADS)
                        .orTimeout(PATIENCE_S, TimeUnit.SECONDS)
                        .join()
                        .orElseThrow();
            } finally {
                follower.destroy(); // which also ends the reading
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the log so far} */
    List<String> log() {
        try {
            return Files.readAllLines(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the rest of its output} Waits for its end. */
    List<String> rest() {
        return said.lines().toList();
    }

    private String read(String end) {
        try {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                if (line.endsWith(end)) {
                    return line;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new AssertionError(
                "The bridge has ended, with " + process.onExit().join().exitValue());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Sends KILL, and waits for the end of the process. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** {@return the exit status} Waits until the process ends by itself. */
    int awaitEnd() {
        return process.onExit().orTimeout(PATIENCE_S, TimeUnit.SECONDS).join().exitValue();
    }

    /** Sends TERM. */
    void terminate() {
        process.toHandle().destroy(); // keeps its output readable
    }

    /** Sends TERM. {@return the exit status} */
    int end() {
        terminate();
        return awaitEnd();
    }

    @Override
    public void close() {
        kill();
    }
}
