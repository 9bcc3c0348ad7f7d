package dev.couchjobs.bridge.internal.wiring;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.StepHandler;
import dev.couchjobs.bridge.internal.action.Actions;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.EngineConfig;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.couch.Tls;
import dev.couchjobs.bridge.internal.engine.BridgeEngine;
import dev.couchjobs.bridge.internal.engine.JoinMode;
import dev.couchjobs.bridge.internal.store.BridgeStore;
import dev.couchjobs.bridge.internal.store.SlotReservations;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.work.WorkKind;
import dev.couchjobs.fdb.ClusterOptions;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Creates the parts of a bridge from its configuration. The caller closes what it creates.
 *
 * @param threads threads that may block
 */
record ConfiguredParts(BridgeConfig config, Executor threads) {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    /** Longer than the lag between replicas of a database. */
    private static final Duration REMEMBERED = Duration.ofDays(30);

    /** Creates the directory in which commands run. */
    void createShellDirectory() {
        config.shell().directory().ifPresent(ConfiguredParts::create);
    }

    private static void create(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The directory " + directory + ", in which commands run, cannot be created", e);
        }
    }

    /** Opens the database without time limits; background loops repeat failed transactions themselves. */
    Database database() {
        DatabaseLocation location = config.engine() instanceof EngineConfig.ClusterFile cluster
                ? new DatabaseLocation.ClusterFile(cluster.path())
                : new DatabaseLocation.Directory(((EngineConfig.Directory) config.engine()).path());
        ClusterOptions patient =
                ClusterOptions.defaults().answerWithin(Duration.ZERO).timeout(Duration.ZERO);
        return Databases.open(location, patient.executor(threads));
    }

    CouchJobs jobs(Database database, Environment environment) {
        return CouchJobs.builder(database)
                .subspace(root())
                .environment(environment)
                .name(config.node())
                .build();
    }

    /** {@return a client for the node's CouchDB server} */
    HttpClient client() {
        HttpClient.Builder client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(threads)
                .connectTimeout(CONNECT_TIMEOUT);
        config.couchdb().caFile().ifPresent(file -> client.sslContext(Tls.trusting(file, Optional.empty())));
        return client.build();
    }

    BridgeContext context(Database database, CouchJobs jobs, CouchDatabase couch, Environment environment) {
        return new BridgeContext(
                config.node(),
                config.cluster(),
                database,
                jobs,
                new BridgeStore(store()),
                couch,
                environment,
                REMEMBERED);
    }

    /** {@return the id of this node's store} The first call creates it. */
    CompletableFuture<String> owner(Database database, Environment environment) {
        String fresh =
                new UUID(environment.random().nextLong(), environment.random().nextLong()).toString();
        return BridgeContext.run(
                database,
                "read the owner of the store",
                tx -> new BridgeStore(store()).owner(tx, config.node(), fresh));
    }

    Actions actions(Map<String, StepHandler> handlers, Environment environment) {
        return new Actions(config.shell(), config.http(), handlers, System.getenv(), environment, threads);
    }

    /** @param takesOver whether the store may have been lost */
    BridgeEngine engine(BridgeContext context, Actions actions, boolean takesOver) {
        return new BridgeEngine(
                context,
                joinMode(takesOver),
                actions::of,
                workKinds(actions),
                config.workers(),
                feedName(config),
                Long.toString(ProcessHandle.current().pid()));
    }

    /** Nodes that share a database use the same rows; those that replicate use their own, even in the same cluster. */
    private Subspace root() {
        String prefix = config.engine().prefix();
        return new Subspace(
                config.join() == BridgeConfig.Join.FOUNDATIONDB
                        ? Tuple.from(prefix)
                        : Tuple.from(prefix, config.node()));
    }

    private Subspace store() {
        return root().subspace(Tuple.from("store"));
    }

    private JoinMode joinMode(boolean takesOver) {
        return config.join() == BridgeConfig.Join.FOUNDATIONDB
                ? new JoinMode.SharedDatabase(takesOver)
                : new JoinMode.Replication(new SlotReservations(store()), config.claimTimeout());
    }

    private Map<String, WorkKind> workKinds(Actions actions) {
        Map<String, WorkKind> kinds = new TreeMap<>();
        config.workItems()
                .forEach((name, kind) -> kinds.put(
                        name,
                        new WorkKind(
                                item -> actions.of(kind.action(), item),
                                kind.retry(),
                                kind.timeout(),
                                kind.concurrency())));
        return kinds;
    }

    /**
     * The name changes with the set of kinds: the feed is then read again, because it may contain items of a new kind.
     */
    static String feedName(BridgeConfig config) {
        String address = config.couchdb().url().toString();
        return config.workItems().isEmpty()
                ? address
                : address + " "
                        + String.join(" ", new TreeSet<>(config.workItems().keySet()));
    }
}
