package dev.couchjobs.bridge.acceptance;

import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.BridgeBuilder;
import dev.couchjobs.bridge.StepHandler;
import dev.couchjobs.bridge.internal.couch.LoginThrottles;
import dev.couchjobs.bridge.internal.couch.Replication;
import dev.couchjobs.bridge.internal.couch.Replications;
import dev.couchjobs.bridge.servers.CouchServers;
import dev.couchjobs.bridge.testing.TestClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

/**
 * Three nodes in this process, each with a bridge and a database that replicates with the others. The test creates the
 * replications, because servers may reach each other at other addresses than the bridges do.
 */
final class ThreeNodes implements AutoCloseable {
    private final JoinFixture join;
    private final CouchServers servers;
    private final Path directory;
    private final String name = "acceptance-" + UUID.randomUUID();
    private final Map<String, URI> databases = new TreeMap<>();
    private final Map<String, Path> files = new TreeMap<>();
    private final Map<String, DocumentClient> clients = new TreeMap<>();
    private final Map<String, Bridge> running = new ConcurrentHashMap<>();
    private final Map<String, StepHandler> handlers = new TreeMap<>();

    /**
     * Creates the nodes without starting bridges.
     *
     * @param servers one for each node
     */
    ThreeNodes(JoinFixture join, CouchServers servers, Path directory, int workers) {
        this.join = join;
        this.servers = servers;
        this.directory = directory;
        NodeFile.ALL.forEach(node -> databases.put(node, servers.newDatabase(databases.size())));
        databases.forEach((node, database) -> {
            files.put(node, new NodeFile(node, join, database).workers(workers).write(directory(node)));
            clients.put(node, new DocumentClient(database));
        });
        eachReplication(Replications::ensure);
    }

    private void eachReplication(BiFunction<Replications, Replication, CompletableFuture<Boolean>> action) {
        databases.forEach((node, database) -> {
            try (Replications replications =
                    new Replications(TestClient.settings(database), new LoginThrottles("test"))) {
                List<CompletableFuture<Boolean>> all = new ArrayList<>();
                databases.forEach((other, source) -> {
                    if (!other.equals(node)) {
                        Replication replication = Replication.continuous(
                                name + "-" + node + "-from-" + other,
                                servers.forServers(source),
                                servers.forServers(database));
                        all.add(action.apply(replications, replication));
                    }
                });
                all.forEach(DocumentClient::await);
            }
        });
    }

    /** {@return the working directory of a node's commands} */
    Path directory(String node) {
        return directory.resolve("home-of-" + node); // the example must not depend on the names of directories
    }

    /** Creates an empty file in the working directory of a node's commands. */
    void touch(String node, String file) {
        try {
            Files.createFile(directory(node).resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Registers a handler with each bridge that is started later. */
    void handler(String handlerName, StepHandler handler) {
        handlers.put(handlerName, handler);
    }

    void startAll() {
        files.forEach((node, file) -> {
            BridgeBuilder builder = Bridge.of(file);
            join.database().ifPresent(builder::database);
            handlers.forEach(builder::handler);
            running.put(node, builder.start());
        });
    }

    /** {@return a person's client of a node's database} */
    DocumentClient at(String node) {
        return Optional.ofNullable(clients.get(node)).orElseThrow();
    }

    @Override
    public void close() {
        running.values().forEach(Bridge::close);
        clients.values().forEach(DocumentClient::close);
        eachReplication((replications, replication) -> replications.remove(replication.id()));
        join.close();
    }
}
