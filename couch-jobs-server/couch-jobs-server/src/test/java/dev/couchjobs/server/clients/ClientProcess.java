package dev.couchjobs.server.clients;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program of a client, in its own process. */
public final class ClientProcess implements AutoCloseable {
    private final Process process;
    private final Path output;

    private ClientProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts a program, which finds the address of the server and the name of its worker in its environment. */
    public static ClientProcess start(ClientKit kit, List<String> command, URI server, String worker) {
        try {
            Path output = Files.createTempFile("couch-jobs-client-", ".log");
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(kit.directory().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().putAll(kit.environment());
            builder.environment().put("COUCH_JOBS_URL", server.toString());
            builder.environment().put("COUCH_JOBS_WORKER", worker);
            return new ClientProcess(builder.start(), output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a program in Java. */
    static ClientProcess startJava(String mainClass, URI server, String worker, List<String> args) {
        ClientKit java = new ClientKit("Java", Path.of("."), Map.of(), List.of(), List.of(), List.of());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                mainClass));
        command.addAll(args);
        return start(java, command, server, worker);
    }

    /** Sends a signal, such as {@code TERM} or {@code STOP}, by what each shell has built in. */
    void signal(String name) {
        try {
            int status = new ProcessBuilder("sh", "-c", "kill -s " + name + " " + process.pid())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            if (status != 0 && process.isAlive()) {
                throw new IllegalStateException("kill has ended with the status " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@return the exit status} */
    int awaitExit() {
        try {
            if (!process.waitFor(40, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The program runs on. It has printed: " + output());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return process.exitValue();
    }

    /** Kills the program. {@return what it has printed} */
    String kill() {
        process.destroyForcibly();
        var unused = awaitExit();
        String printed = output();
        close();
        return printed;
    }

    String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Kills the program. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
            Files.deleteIfExists(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
