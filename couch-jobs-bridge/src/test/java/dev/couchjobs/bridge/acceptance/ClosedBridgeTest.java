package dev.couchjobs.bridge.acceptance;

import static dev.couchjobs.bridge.acceptance.NodeFile.REG_A;
import static dev.couchjobs.bridge.acceptance.NodeFile.REG_B;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.servers.LocalServer;
import dev.couchjobs.fdb.testing.Application;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** When an application has closed its bridge, no thread of it is left, and no class of the application. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ClosedBridgeTest {
    private static final String JOB = """
            {'creator': 'reg_a', 'job': [
              {'target': 'reg_a', 'do': 'echo done'},
              {'target': 'reg_a', 'kind': 'http', 'do': 'GET %s'},
              {'target': 'reg_a', 'kind': 'java', 'do': {'handler': 'thumbnail', 'data': {'sizes': [{'width': 64, 'height': 48}]}}}]}""";

    static Stream<Application> applications() {
        return Stream.of(
                Application.withAllClasses(Thumbnails.class),
                Application.withAllClasses(WithoutCouchDb.class),
                Application.withOwnClasses(Thumbnails.class));
    }

    @ParameterizedTest
    @MethodSource("applications")
    void anApplicationWithABridgeLeavesNothing(Application application, @TempDir Path directory) {
        try (LocalServer server = LocalServer.inMemory();
                DocumentClient client = new DocumentClient(server.database("jobs"))) {
            node(server.database("jobs")).peer(REG_B, server.database("peer")).write(directory);
            node(URI.create("http://127.0.0.1:1/jobs")).write(directory.resolve("apart"));
            client.put("job", JOB.formatted(server.database("jobs")));
            application.assertLeavesNothing(directory);
        }
    }

    private static NodeFile node(URI database) {
        return new NodeFile(REG_A, new JoinFixture.ByReplication(), database);
    }

    public record Picture(List<Size> sizes) {}

    public record Size(int width, int height) {}

    public static class Thumbnails implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            CompletableFuture<Picture> seen = new CompletableFuture<>();
            try (Bridge bridge = Bridge.of(directory.resolve("bridge.toml"))
                    .handler("thumbnail", step -> {
                        seen.complete(step.data(Picture.class));
                        return Optional.of("done");
                    })
                    .start()) {
                assertThat(seen.orTimeout(1, TimeUnit.MINUTES).join().sizes()).containsExactly(new Size(64, 48));
                assertThat(bridge.why("none").join()).contains("CouchDB has no document of this id");
            }
        }
    }

    /** The bridge waits for a CouchDB that is not there. */
    public static class WithoutCouchDb implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            try (Bridge bridge =
                    Bridge.of(directory.resolve("apart/bridge.toml")).start()) {
                assertThat(bridge.why("none").join()).contains("127.0.0.1:1");
                assertThat(bridge.ready()).isNotDone();
            }
        }
    }
}
