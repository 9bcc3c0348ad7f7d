package dev.couchjobs.bridge.servers;

import dev.couchjobs.fdb.testing.Project;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The small CouchDB-compatible server of the tests, in its own process: {@code src/test/servers/server.js}. */
public final class LocalServer implements CouchServer {
    private static final Path SCRIPT =
            Project.root().resolve(Path.of("couch-jobs-bridge", "src", "test", "servers", "server.js"));

    private static final String UP = "listening on ";
    private static final String IGNORED = "ignored an uncaught error:";
    /** How many characters of its errors a failure shows. */
    private static final int MOST_SAID = 4_000;

    private final Optional<Path> data;
    private final Optional<String> userAndPassword;
    private final Path complaints;
    private final int port;
    private Process process;
    private boolean isWantedUp = true;

    private LocalServer(Optional<Path> data, Optional<String> userAndPassword) {
        this.data = data;
        this.userAndPassword = userAndPassword;
        this.complaints = newFile();
        this.process = launch(0);
        this.port = awaitUp(process);
    }

    /** {@return a server that loses its data at its end} */
    public static LocalServer inMemory() {
        return new LocalServer(Optional.empty(), Optional.empty());
    }

    /** {@return a server with its data in a directory, which can be restarted} */
    public static LocalServer onDisk(Path data) {
        return new LocalServer(Optional.of(data), Optional.empty());
    }

    /** {@return a server that requires a name and a password, which must need no escapes in an address} */
    public static LocalServer withPassword(String user, String password) {
        return new LocalServer(Optional.empty(), Optional.of(user + ":" + password));
    }

    /** {@return a server with its data in a directory, which can be restarted and requires a name and a password} */
    static LocalServer onDiskWithPassword(Path data) {
        return new LocalServer(Optional.of(data), Optional.of("admin:secret"));
    }

    private static Path newFile() {
        try {
            return Files.createTempFile("couch-jobs-server-", ".log");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process launch(int wantedPort) {
        List<String> command = new ArrayList<>(List.of("node", SCRIPT.toString(), Integer.toString(wantedPort)));
        data.ifPresent(directory -> command.add(directory.toString()));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(complaints.toFile()));
        userAndPassword.ifPresent(wanted -> builder.environment().put("USER_AND_PASSWORD", wanted));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int awaitUp(Process started) {
        BufferedReader output = started.inputReader(StandardCharsets.UTF_8);
        try {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(UP)) {
                    return Integer.parseInt(line.substring(UP.length()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("The server ended before it was up: " + complaints());
    }

    private String complaints() {
        try {
            String all = Files.readString(complaints);
            return all.substring(Math.max(0, all.length() - MOST_SAID));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public URI address() {
        return URI.create(
                "http://" + userAndPassword.map(wanted -> wanted + "@").orElse("") + "127.0.0.1:" + port + "/");
    }

    @Override
    public boolean isMortal() {
        return data.isPresent();
    }

    @Override
    public void kill() {
        isWantedUp = false;
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void restart() {
        kill();
        process = launch(port);
        awaitUp(process);
        isWantedUp = true;
    }

    /** Also reports whether the server had ended by itself, because that may explain other failures. */
    @Override
    public void close() {
        try {
            if (isWantedUp && !process.isAlive()) {
                throw new IllegalStateException("The server at " + port + " ended by itself, with "
                        + process.exitValue() + ": " + complaints());
            }
            if (complaints().contains(IGNORED)) {
                System.err.println("The server at " + port + " " + complaints());
            }
        } finally {
            kill();
            complaints.toFile().delete();
        }
    }
}
