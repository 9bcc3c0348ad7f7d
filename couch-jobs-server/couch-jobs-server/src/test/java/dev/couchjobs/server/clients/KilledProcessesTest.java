package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Polling;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

/**
 * The server and workers are killed while jobs run, at places that a seed draws. Each job adds another one when it
 * finishes: afterwards each has ended, and has added exactly one.
 */
@Tag("long")
@Timeout(600)
@Tag("processes")
class KilledProcessesTest {
    private static final int JOBS = 120;
    /** Of a server and a worker in turn. */
    private static final int KILLS = Boolean.getBoolean("long") ? 4 : 2;

    private static final int SEEDS = Boolean.getBoolean("long") ? 10 : 1;

    private final List<ClientProcess> workers = new ArrayList<>();

    @TempDir
    private Path directory;

    static Stream<Arguments> clientsAndSeeds() {
        List<ClientKit> kits = Boolean.getBoolean("long") ? ClientKit.all() : List.of(ClientKit.typeScript());
        return kits.stream().flatMap(kit -> LongStream.range(0, SEEDS).mapToObj(seed -> Arguments.of(kit, seed)));
    }

    private static void addJobs(ServerProcess server) {
        List<String> jobs = IntStream.range(0, JOBS)
                .mapToObj(i -> "{'type': 'follow', 'retry': {'initialDelay': 'PT0S', 'maxAttempts': 1000},"
                        + " 'data': {'type': 'effect', 'data': " + i + "}}")
                .toList();
        HttpRequest request = server.request("POST", "/v1/jobs", "{'jobs': [" + String.join(",", jobs) + "]}")
                .header("Idempotency-Key", "jobs")
                .build();
        assertThat(server.send(request).statusCode()).isLessThan(300);
    }

    private static int finished(ServerProcess server) {
        return server.get("/v1/types/follow/counts").get("succeeded").intValue();
    }

    @ParameterizedTest
    @MethodSource("clientsAndSeeds")
    void nothingIsLostOrDoneTwice(ClientKit kit, long seed) {
        Random random = new Random(seed);
        try (ServerProcess server = new ServerProcess(directory)) {
            server.start();
            server.json("PUT", "/v1/types/follow/timeout", "{'timeout': 'PT1S'}");
            addJobs(server);
            for (int i = 0; i < 2; i++) {
                workers.add(ClientProcess.start(kit, kit.conformance(), server.address(), "worker"));
            }
            for (int kill = 0; kill < KILLS; kill++) {
                int target = finished(server) + random.nextInt(JOBS / KILLS);
                while (finished(server) < Math.min(target, JOBS)) {
                    Polling.pause();
                }
                if (kill % 2 == 0) {
                    server.restart();
                } else {
                    workers.remove(random.nextInt(workers.size())).close();
                    workers.add(ClientProcess.start(kit, kit.conformance(), server.address(), "worker"));
                }
            }
            while (finished(server) < JOBS) {
                Polling.pause();
            }
            assertThat(effects(server))
                    .as("seed %d", seed)
                    .containsExactlyElementsOf(IntStream.range(0, JOBS).boxed().toList());
        } finally {
            workers.forEach(ClientProcess::close);
        }
    }

    /** {@return the data of the jobs that the jobs have added, in order} */
    private static List<Integer> effects(ServerProcess server) {
        List<Integer> effects = new ArrayList<>();
        server.get("/v1/types/effect/jobs?limit=1000")
                .get("items")
                .forEach(job -> effects.add(
                        server.get("/v1/types/effect/jobs/" + job.get("id").stringValue())
                                .get("data")
                                .intValue()));
        return effects.stream().sorted().toList();
    }
}
