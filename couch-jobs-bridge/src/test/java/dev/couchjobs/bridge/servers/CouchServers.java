package dev.couchjobs.bridge.servers;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.UUID;

/**
 * The servers that a test runs on: those named by {@code COUCHDB_URLS} (comma-separated, each with name and password);
 * else those of the {@link ServerProvider} of the profile {@code docker}; else processes started here. Databases have
 * names of their own, and are deleted at the end.
 */
public final class CouchServers implements AutoCloseable {
    private final List<CouchServer> servers = new ArrayList<>();
    private final List<URI> databases = new ArrayList<>();
    private final Path directory;

    /**
     * Starts servers.
     *
     * @param count how many
     * @param directory where those started here keep their data
     */
    public CouchServers(int count, Path directory) {
        this.directory = directory;
        for (int i = 0; i < count; i++) {
            servers.add(next());
        }
    }

    private CouchServer next() {
        List<String> running = Optional.ofNullable(System.getenv("COUCHDB_URLS"))
                .filter(urls -> !urls.isBlank())
                .map(urls -> List.of(urls.trim().split("\\s*,\\s*", -1)))
                .orElse(List.of());
        if (!running.isEmpty()) {
            // With too few of them, several nodes of a test share one: their databases are different ones.
            return RunningServer.at(running.get(servers.size() % running.size()));
        }
        return Boolean.getBoolean("couchdb.docker")
                ? ServiceLoader.load(ServerProvider.class)
                        .findFirst()
                        .orElseThrow()
                        .start()
                : NpmServer.onDisk(directory.resolve("couch-" + servers.size()));
    }

    /** {@return one of them, from 0} */
    public CouchServer get(int index) {
        return servers.get(index);
    }

    /** {@return the address of a new, empty database on a server; name and password are in it} */
    public URI newDatabase(int index) {
        URI database = newName(index);
        int status = PlainHttp.send("PUT", database);
        if (status / 100 != 2) {
            throw new IllegalStateException("Creating a database was answered with " + status);
        }
        return database;
    }

    /** {@return an address where no database is yet; if there is one at the end, it is deleted} */
    public URI newName(int index) {
        URI database = get(index).database("test-" + UUID.randomUUID());
        databases.add(database);
        return database;
    }

    /** {@return the address of a database for use in a replication} */
    public URI forServers(URI database) {
        CouchServer server = servers.stream()
                .filter(candidate ->
                        database.toString().startsWith(candidate.address().toString()))
                .findFirst()
                .orElseThrow();
        return server.addressForServers().resolve(server.address().relativize(database));
    }

    /** Deletes the databases, ends the servers. */
    @Override
    public void close() {
        databases.forEach(this::deleteIfThere);
        servers.forEach(CouchServer::close);
    }

    private void deleteIfThere(URI database) {
        boolean outlivesTheTest = servers.stream().anyMatch(RunningServer.class::isInstance);
        if (outlivesTheTest) {
            PlainHttp.send("DELETE", database);
        }
    }
}
