package dev.couchjobs.bench.topics;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The process of a server on a port of this machine. */
final class ServerProgram implements AutoCloseable {
    private static final int SECONDS_TO_START = 90;
    private static final int MILLIS_APART = 100;

    private final Process process;

    private ServerProgram(Process process) {
        this.process = process;
    }

    /** The first of the paths that is a program. */
    static Optional<Path> find(String... paths) {
        Stream<Path> named = Stream.of(paths).map(Path::of);
        Stream<Path> ofEnvironment = Stream.of(
                        Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator, -1))
                .map(directory ->
                        Path.of(directory, Path.of(paths[0]).getFileName().toString()));
        return Stream.concat(named, ofEnvironment)
                .filter(path -> Files.isExecutable(path) && !Files.isDirectory(path))
                .findFirst();
    }

    /** Starts a server, and returns when it accepts connections. */
    static ServerProgram start(Path directory, int port, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path log = directory.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        ServerProgram program = new ServerProgram(builder.start());
        Runtime.getRuntime().addShutdownHook(new Thread(program::close));
        long began = System.nanoTime();
        while (!accepts(port)) {
            if (!program.process.isAlive() || System.nanoTime() - began > TimeUnit.SECONDS.toNanos(SECONDS_TO_START)) {
                program.close();
                throw new IOException(command.get(0) + " does not start:\n" + Files.readString(log));
            }
            Thread.sleep(MILLIS_APART);
        }
        return program;
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** The first line that a program prints. */
    static String firstLine(String... command) throws IOException {
        Process asked = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var lines = asked.inputReader()) {
            return Optional.ofNullable(lines.readLine()).orElse("?");
        }
    }

    /** May be called twice. */
    @Override
    public void close() {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroy);
        all.forEach(handle -> {
            var unused = handle.onExit()
                    .orTimeout(SECONDS_TO_START, TimeUnit.SECONDS)
                    .exceptionally(late -> {
                        handle.destroyForcibly();
                        return handle;
                    })
                    .join();
        });
    }
}
