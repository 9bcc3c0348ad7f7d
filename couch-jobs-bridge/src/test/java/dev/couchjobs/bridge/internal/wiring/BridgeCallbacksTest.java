package dev.couchjobs.bridge.internal.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.ConfigReader;
import dev.couchjobs.bridge.internal.couch.ChangesFeed;
import dev.couchjobs.bridge.internal.couch.HttpCouchDatabase;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import dev.couchjobs.bridge.servers.LocalServer;
import dev.couchjobs.bridge.testing.TestClient;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Callbacks;
import dev.couchjobs.fdb.testing.ThrowingParts;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A bridge whose handlers, or the executor of whose database, throw anything, always or now and then, and one whose own
 * clock, timers and random numbers do: each job ends as docs/callbacks.md says. In real time, because the substitutes
 * are threads.
 */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class BridgeCallbacksTest {
    private static final Supplier<Throwable> REJECTED = RejectedExecutionException::new;
    private static final List<Supplier<Throwable>> THROWN = Stream.concat(
                    Callbacks.THROWABLES.values().stream(), Stream.of(REJECTED))
            .toList();

    /** Makes the environment, and the database, of which parts throw. */
    private record Faulty(
            BiFunction<ThrowingParts, Environment, Environment> environment,
            BiFunction<ThrowingParts, Database, Database> database) {
        static Faulty environment(BiFunction<ThrowingParts, Environment, Environment> environment) {
            return new Faulty(environment, (parts, database) -> database);
        }

        static Faulty scheduler(BiFunction<ThrowingParts, ScheduledExecutorService, ScheduledExecutorService> faulty) {
            return environment((parts, given) ->
                    new Environment(given.clock(), faulty.apply(parts, given.scheduler()), given.random()));
        }
    }

    private static final Map<String, Faulty> CASES = new LinkedHashMap<>();

    static {
        CASES.put(
                "the clock",
                Faulty.environment((parts, given) ->
                        new Environment(parts.clock(given.clock()), given.scheduler(), given.random())));
        CASES.put(
                "the random generator",
                Faulty.environment((parts, given) ->
                        new Environment(given.clock(), given.scheduler(), parts.random(given.random()))));
        CASES.put("the scheduler's tasks", Faulty.scheduler(ThrowingParts::tasks));
        CASES.put("the scheduler's timers", Faulty.scheduler(ThrowingParts::timers));
        CASES.put("the scheduler's cancellations", Faulty.scheduler(ThrowingParts::cancellations));
        CASES.put(
                "BridgeBuilder.database, executor",
                new Faulty((parts, environment) -> environment, ThrowingParts::executor));
    }

    private static LocalServer server;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startServer() {
        server = LocalServer.inMemory();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    static Stream<Arguments> cases() {
        return CASES.keySet().stream()
                .flatMap(callback -> IntStream.of(1, 2, 3).mapToObj(every -> Arguments.of(callback, every)));
    }

    @Test
    void theDocsListTheCallbacks() throws IOException {
        assertThat(Callbacks.documented("The bridge"))
                .containsExactlyInAnyOrder("StepHandler.run", "BridgeBuilder.database, executor");
    }

    @ParameterizedTest(name = "{0} throws in every call that {1} divides")
    @MethodSource("cases")
    void everyJobEnds(String callback, int howOften) throws Exception {
        ThrowingParts parts = new ThrowingParts(howOften, THROWN);
        Faulty faulty = Objects.requireNonNull(CASES.get(callback));
        URI address = server.database("jobs-" + Integer.toHexString((callback + howOften).hashCode()));
        BridgeConfig config = config(address);
        try (Database database = EmbeddedDatabase.openInMemory();
                HttpCouchDatabase couch = new HttpCouchDatabase(TestClient.settings(address))) {
            couch.ensureDatabase().join();
            try (RunningBridge bridge = RunningBridge.start(
                    config,
                    Map.of("note", step -> Optional.of("noted")),
                    Optional.of(faulty.database().apply(parts, database)),
                    false,
                    new CompletableFuture<>(),
                    faulty.environment().apply(parts, Environment.system()))) {
                bridge.ready().join();
                end(couch, "job", """
                        {"creator": "alpha", "job": [
                          {"target": "alpha", "kind": "java", "do": "note"},
                          {"target": "any", "kind": "java", "do": "note"}]}""", "success");
                end(couch, "tried", """
                        {"creator": "alpha", "job": [{"target": "alpha", "kind": "java", "do": "missing",
                          "retry_strategy": {"max_retries": 1, "sleep": 0.01}}]}""", "failed");
            }
        }

        assertThat(parts.thrownTimes()).as("how often the callback has thrown").isPositive();
    }

    /** Writes a document, and follows the feed until its job has ended. */
    private static void end(HttpCouchDatabase couch, String id, String json, String status) {
        CompletableFuture<ObjectNode> ended = new CompletableFuture<>();
        ChangesFeed feed = couch.follow(
                null,
                (changes, position) -> couch.read(List.of(id))
                        .thenAccept(read -> read.stream()
                                .flatMap(document -> body(document).stream())
                                .filter(body -> body.hasNonNull("job_status"))
                                .forEach(ended::complete)));
        ObjectNode document = ((ObjectNode) JsonMapper.shared().readTree(json)).put("_id", id);
        assertThat(couch.write(List.of(document)).join().get(0)).isInstanceOf(WriteResult.Accepted.class);
        assertThat(ended.join().path("job_status").asString()).isEqualTo(status);
        feed.close();
    }

    private static Optional<ObjectNode> body(StoredDocument document) {
        return document.current().map(leaf -> leaf.body());
    }

    private BridgeConfig config(URI address) throws Exception {
        Path file = directory.resolve("bridge.toml");
        Files.writeString(file, """
                node = 'alpha'
                couchdb.url = '%s'
                engine.directory = 'data'
                """.formatted(address));
        return ConfigReader.read(file, Map.of(), Optional.empty());
    }
}
