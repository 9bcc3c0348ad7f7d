package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The server and workers are killed while jobs run, at places that a seed draws. Each job adds another one when it
 * finishes: afterwards each has ended, and has added exactly one.
 */
@Tag("long")
@Timeout(600)
class KilledProcessesTest {
    private static final int JOBS = 120;
    private static final int KILLS = 4;
    private static final int SEEDS = Boolean.getBoolean("long") ? 10 : 1;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<ClientProcess> workers = new ArrayList<>();

    @TempDir
    private Path directory;

    static Stream<Arguments> clientsAndSeeds() {
        List<ClientKit> kits = Boolean.getBoolean("long") ? ClientKit.all() : List.of(ClientKit.typeScript());
        return kits.stream().flatMap(kit -> LongStream.range(0, SEEDS).mapToObj(seed -> Arguments.of(kit, seed)));
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ClientProcess startServer(URI server) {
        ClientKit java = new ClientKit("Java", Path.of("."), Map.of(), List.of(), List.of(), List.of());
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.couchjobs.server.ServerMain",
                "--directory",
                directory.toString(),
                "--port",
                Integer.toString(server.getPort()));
        ClientProcess process = ClientProcess.start(java, command, server, "");
        while (!isUp(server)) {
            if (!process.isAlive()) {
                throw new AssertionError("The server has ended: " + process.output());
            }
        }
        return process;
    }

    private boolean isUp(URI server) {
        try {
            return send(HttpRequest.newBuilder(server.resolve("/v1/types")).build()) != null;
        } catch (ConnectException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private JsonNode send(HttpRequest request) throws IOException {
        try {
            HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            assertThat(response.statusCode()).isLessThan(300);
            return JsonMapper.shared().readTree(response.body());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private JsonNode get(URI server, String path) {
        try {
            return send(HttpRequest.newBuilder(server.resolve(path)).build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void addJobs(URI server) throws IOException {
        List<String> jobs = IntStream.range(0, JOBS)
                .mapToObj(i -> "{'type': 'follow', 'retry': {'initialDelay': 'PT0S', 'maxAttempts': 1000},"
                        + " 'data': {'type': 'effect', 'data': " + i + "}}")
                .toList();
        String body = "{'jobs': [" + String.join(",", jobs) + "]}";
        send(HttpRequest.newBuilder(server.resolve("/v1/jobs"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build());
    }

    private void setTimeout(URI server) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(server.resolve("/v1/types/follow/timeout"))
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString("{\"timeout\": \"PT1S\"}"))
                .build();
        try {
            client.send(request, HttpResponse.BodyHandlers.discarding());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int finished(URI server) {
        JsonNode counts = get(server, "/v1/types/follow/counts");
        return counts.get("succeeded").intValue();
    }

    @ParameterizedTest
    @MethodSource("clientsAndSeeds")
    void nothingIsLostOrDoneTwice(ClientKit kit, long seed) throws IOException {
        Random random = new Random(seed);
        URI address = URI.create("http://127.0.0.1:" + freePort() + "/");
        ClientProcess server = startServer(address);
        try {
            setTimeout(address);
            addJobs(address);
            for (int i = 0; i < 2; i++) {
                workers.add(ClientProcess.start(kit, kit.conformance(), address, "worker"));
            }
            for (int kill = 0; kill < KILLS; kill++) {
                int target = finished(address) + random.nextInt(JOBS / KILLS);
                while (finished(address) < Math.min(target, JOBS)) {
                    Thread.onSpinWait();
                }
                if (kill % 2 == 0) {
                    server.close();
                    server = startServer(address);
                } else {
                    workers.remove(random.nextInt(workers.size())).close();
                    workers.add(ClientProcess.start(kit, kit.conformance(), address, "worker"));
                }
            }
            while (finished(address) < JOBS) {
                Thread.onSpinWait();
            }
            assertThat(effects(address))
                    .as("seed %d", seed)
                    .containsExactlyElementsOf(IntStream.range(0, JOBS).boxed().toList());
        } finally {
            workers.forEach(ClientProcess::close);
            server.close();
        }
    }

    /** {@return the data of the jobs that the jobs have added, in order} */
    private List<Integer> effects(URI server) {
        List<Integer> effects = new ArrayList<>();
        get(server, "/v1/types/effect/jobs?limit=1000")
                .get("items")
                .forEach(job -> effects.add(
                        get(server, "/v1/types/effect/jobs/" + job.get("id").stringValue())
                                .get("data")
                                .intValue()));
        return effects.stream().sorted().toList();
    }
}
