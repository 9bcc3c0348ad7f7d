package dev.couchjobs.server.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.fdb.testing.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server that is killed, and is started again with the same directory and address; and a client for it. */
abstract class KillableServer implements AutoCloseable {
    static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final URI address = URI.create("http://127.0.0.1:" + Ports.free() + "/");
    private int halts;

    final URI address() {
        return address;
    }

    /** {@return how often it was killed by a commit} */
    final int halts() {
        return halts;
    }

    /** Starts a server that is killed at one of its commits; another one follows. */
    abstract void startHalting(int fatal, boolean takesEffect);

    /** {@return whether a commit has killed it} */
    abstract boolean isHalted();

    /** {@return what it has printed, if it is a process of its own} */
    String output() {
        return "";
    }

    /** {@return the reply to a request} */
    HttpResponse<byte[]> exchange(HttpRequest request) throws IOException, InterruptedException {
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofByteArray());
    }

    /** Ends what was started last, so that another can follow. */
    @Override
    public abstract void close();

    /** Repeats a request until there is a reply. A server that was killed by a commit is followed by another one. */
    final HttpResponse<byte[]> send(HttpRequest request) {
        while (true) {
            try {
                return exchange(request);
            } catch (IOException e) {
                restartIfHalted();
                Polling.pause(); // the server is being started
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void restartIfHalted() {
        if (isHalted()) {
            halts++;
            close();
            // Access is the same: replies are stored by the name of the caller.
            startHalting(Integer.MAX_VALUE, true);
        }
    }

    /** {@return a request with a body, in which apostrophes are quotation marks} */
    final HttpRequest.Builder request(String method, String path, String body) {
        return HttpRequest.newBuilder(address.resolve(path))
                .method(method, BodyPublishers.ofString(body.replace('\'', '"')))
                .header("Content-Type", "application/json");
    }

    /** {@return the reply to a request that succeeds} */
    final JsonNode json(String method, String path, String body) {
        HttpResponse<byte[]> response = send(request(method, path, body).build());
        assertThat(response.statusCode())
                .as(() -> method + " " + path + ": " + new String(response.body(), UTF_8) + "\n" + output())
                .isLessThan(300);
        return json(response);
    }

    final JsonNode get(String path) {
        return json("GET", path, "");
    }

    static JsonNode json(HttpResponse<byte[]> response) {
        return JsonMapper.shared().readTree(response.body());
    }
}
