package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.server.HaltingPlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server in a process of its own, which is killed and started again with the same directory and address. */
final class ServerProcess implements AutoCloseable {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI address = URI.create("http://127.0.0.1:" + freePort() + "/");
    private final Path directory;
    private @Nullable ClientProcess process;
    private int halts;

    ServerProcess(Path directory) {
        this.directory = directory;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    URI address() {
        return address;
    }

    /** {@return how often it has killed itself} */
    int halts() {
        return halts;
    }

    void start() {
        start("ServerMain", List.of("--directory", directory.toString(), "--port", port()));
    }

    /** Starts a server that kills itself at a commit; another one follows. */
    void startHalting(int fatal, boolean takesEffect) {
        start(
                "HaltingServer",
                List.of(directory.toString(), port(), Integer.toString(fatal), Boolean.toString(takesEffect)));
    }

    private void start(String program, List<String> args) {
        process = ClientProcess.startJava("dev.couchjobs.server." + program, address, "", args);
    }

    private String port() {
        return Integer.toString(address.getPort());
    }

    /** Kills the server, and starts another one. */
    void restart() {
        close();
        start();
    }

    /** Repeats a request until there is a reply. A server that has killed itself is followed by another one. */
    HttpResponse<byte[]> send(HttpRequest request) {
        while (true) {
            try {
                return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            } catch (IOException e) {
                restartIfHalted();
                Polling.pause(); // the server is being started
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void restartIfHalted() {
        ClientProcess server = Objects.requireNonNull(process);
        if (!server.isAlive()) {
            assertThat(server.awaitExit()).as(server.output()).isEqualTo(HaltingPlan.KILLED);
            halts++;
            close();
            // Access is the same: replies are stored by the name of the caller.
            startHalting(Integer.MAX_VALUE, true);
        }
    }

    /** {@return a request with a body, in which apostrophes are quotation marks} */
    HttpRequest.Builder request(String method, String path, String body) {
        return HttpRequest.newBuilder(address.resolve(path))
                .method(method, BodyPublishers.ofString(body.replace('\'', '"')))
                .header("Content-Type", "application/json");
    }

    /** {@return the reply to a request that succeeds} */
    JsonNode json(String method, String path, String body) {
        HttpResponse<byte[]> response = send(request(method, path, body).build());
        assertThat(response.statusCode()).as(path).isLessThan(300);
        return json(response);
    }

    JsonNode get(String path) {
        return json("GET", path, "");
    }

    static JsonNode json(HttpResponse<byte[]> response) {
        return JsonMapper.shared().readTree(response.body());
    }

    /** Kills the server. */
    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
