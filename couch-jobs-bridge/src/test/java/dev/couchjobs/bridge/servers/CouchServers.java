package dev.couchjobs.bridge.servers;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.UUID;

/**
 * The servers of a test: those in {@code COUCHDB_URLS} (comma-separated, each with name and password), or those of the
 * {@link ServerProvider} of the profile {@code docker}, or processes that this class starts. All require a name and a
 * password. The names of databases are unique, and the databases are deleted at the end.
 */
public final class CouchServers implements AutoCloseable {
    private final List<CouchServer> servers = new ArrayList<>();
    private final List<URI> databases = new ArrayList<>();
    private final Path directory;

    /**
     * Starts servers.
     *
     * @param count the number of servers
     * @param directory the data of those that are started here
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
            // If there are too few servers, several nodes share one, with different databases.
            return RunningServer.at(running.get(servers.size() % running.size()));
        }
        return Boolean.getBoolean("couchdb.docker")
                ? ServiceLoader.load(ServerProvider.class)
                        .findFirst()
                        .orElseThrow()
                        .start()
                : LocalServer.onDiskWithPassword(directory.resolve("couch-" + servers.size()));
    }

    /** {@return a server, by its index from 0} */
    public CouchServer get(int index) {
        return servers.get(index);
    }

    /** {@return the address of a new, empty database on a server, with name and password} */
    public URI newDatabase(int index) {
        URI database = newName(index);
        int status = PlainHttp.send("PUT", database);
        if (status / 100 != 2) {
            throw new IllegalStateException("Creating a database was answered with " + status);
        }
        return database;
    }

    /** {@return an address without a database; a database that is there at the end is deleted} */
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

    /** Deletes the databases and stops the servers. */
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
