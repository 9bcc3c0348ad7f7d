package dev.couchjobs.server.clients;

import dev.couchjobs.fdb.testing.Polling;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A producer or a consumer of a topic, which says what it does before and after each write. */
public final class TopicProgram {
    static final String TOPIC = "/v1/topics/orders";
    static final String GROUP = TOPIC + "/groups/packers";

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI server = URI.create(System.getenv("COUCH_JOBS_URL"));

    private TopicProgram() {}

    /**
     * Runs it.
     *
     * @param args the name of a producer, and how many messages it appends; none for a consumer
     */
    public static void main(String[] args) throws InterruptedException {
        TopicProgram program = new TopicProgram();
        if (args.length == 0) {
            program.consume();
        } else {
            program.produce(args[0], Integer.parseInt(args[1]));
        }
    }

    /** Begins at the first message: the server knows what a producer before this one has appended. */
    private void produce(String name, int messages) throws InterruptedException {
        for (int i = 0; i < messages; i++) {
            String id = name + "-" + i;
            HttpResponse<byte[]> response = send(request(TOPIC + "/messages")
                    .POST(BodyPublishers.ofString(
                            "{\"messages\": [{\"value\": \"" + id + "\", \"key\": \"" + name + "\"}]}"))
                    .header("Idempotency-Key", id)
                    .build());
            say(response.statusCode() == 200 ? "appended " + id : "refused " + response.statusCode());
        }
    }

    private void consume() throws InterruptedException {
        while (true) {
            JsonNode page = JsonMapper.shared()
                    .readTree(
                            send(request(GROUP + "/messages?limit=7&wait=PT20S").build())
                                    .body());
            List<String> values = new ArrayList<>();
            page.get("items").forEach(message -> values.add(message.get("value").stringValue()));
            if (!values.isEmpty()) {
                String cursor = page.get("cursor").stringValue();
                say("read " + cursor + " " + String.join(" ", values));
                int status = send(request(GROUP + "/commit")
                                .POST(BodyPublishers.ofString("{\"cursor\": \"" + cursor + "\"}"))
                                .build())
                        .statusCode();
                say((status == 204 ? "committed " : "lost ") + cursor);
            }
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.resolve(path)).header("Content-Type", "application/json");
    }

    private HttpResponse<byte[]> send(HttpRequest request) throws InterruptedException {
        while (true) {
            try {
                return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            } catch (IOException e) {
                Polling.pause(); // the server is being started
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
