package dev.couchjobs.bench.thesis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** CouchDB servers: those that {@code COUCHDB_URLS} names, or else the servers of the bridge's tests. */
final class Servers implements AutoCloseable {
    private static final Path SCRIPT = Path.of("..", "..", "couch-jobs-bridge", "src", "test", "servers", "server.js");
    private static final String UP = "listening on ";

    private final List<URI> addresses = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();

    Servers(int count) throws IOException {
        Optional<String> running =
                Optional.ofNullable(System.getenv("COUCHDB_URLS")).filter(urls -> !urls.isBlank());
        if (running.isPresent()) {
            String[] urls = running.get().strip().split("\\s*,\\s*", -1);
            for (int i = 0; i < count; i++) {
                addresses.add(URI.create(urls[i % urls.length] + (urls[i % urls.length].endsWith("/") ? "" : "/")));
            }
            return;
        }
        for (int i = 0; i < count; i++) {
            start();
        }
    }

    String describe() {
        return processes.isEmpty() ? "running servers " + addresses : "the servers of the tests, in memory";
    }

    /** {@return the root of a server, with a slash at its end} */
    URI address(int index) {
        return addresses.get(index);
    }

    private void start() throws IOException {
        Process process = new ProcessBuilder("node", SCRIPT.toString(), "0")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        processes.add(process);
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        String line = output.readLine();
        while (line != null && !line.startsWith(UP)) {
            line = output.readLine();
        }
        if (line == null) {
            throw new IOException("A server ended before it was up");
        }
        addresses.add(URI.create("http://127.0.0.1:" + line.substring(UP.length()) + "/"));
    }

    @Override
    public void close() {
        try {
            for (Process process : processes) {
                process.destroyForcibly();
                process.getOutputStream().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
