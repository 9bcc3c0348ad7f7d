package dev.couchjobs.bridge.acceptance;

import dev.couchjobs.bridge.internal.BridgeThreads;
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

/** A bridge as a process of its own, which can be killed. */
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
     * Starts one.
     *
     * @param options for its virtual machine
     * @return the process, when its bridge runs
     */
    static BridgeProcess start(Class<?> main, Path configuration, String... options) {
        BridgeProcess bridge = begin(main, configuration, options);
        bridge.awaitLine("runs");
        return bridge;
    }

    /** {@return a process of which nothing is awaited} */
    static BridgeProcess begin(Class<?> main, Path configuration, String... options) {
        List<String> more = new ArrayList<>(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=info"));
        // What fetched a client for this process has fetched it for that one, too.
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

    /** {@return what the program says to a person who asks about a document} */
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
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-Djava.io.tmpdir=" + configuration.getParent()); // what a killed process leaves goes with the test
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return command;
    }

    /** {@return the next line that ends like this} */
    String awaitLine(String end) {
        return CompletableFuture.supplyAsync(() -> read(end), BridgeThreads.blocking())
                .orTimeout(PATIENCE_S, TimeUnit.SECONDS)
                .join();
    }

    /** {@return the first line of its log that contains this, as soon as it is there} */
    String awaitLog(String part) {
        try {
            Process follower = new ProcessBuilder("tail", "-n", "+1", "-f", log.toString()).start();
            BufferedReader lines = follower.inputReader(StandardCharsets.UTF_8);
            try {
                return CompletableFuture.supplyAsync(
                                () -> lines.lines()
                                        .filter(line -> line.contains(part))
                                        .findFirst(),
                                BridgeThreads.blocking())
                        .orTimeout(PATIENCE_S, TimeUnit.SECONDS)
                        .join()
                        .orElseThrow();
            } finally {
                follower.destroy(); // which ends the reading, too
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return all that it has logged so far} */
    List<String> log() {
        try {
            return Files.readAllLines(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return all that it has still said} Waits for its end. */
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

    /** As {@code kill -KILL}; it has gone when this returns. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** {@return the exit status} Waits for it to end by itself. */
    int awaitEnd() {
        return process.onExit().orTimeout(PATIENCE_S, TimeUnit.SECONDS).join().exitValue();
    }

    /** As {@code kill -TERM}. */
    void terminate() {
        process.toHandle().destroy(); // its output can still be read
    }

    /** As {@code kill -TERM}. {@return the exit status} */
    int end() {
        terminate();
        return awaitEnd();
    }

    @Override
    public void close() {
        kill();
    }
}
