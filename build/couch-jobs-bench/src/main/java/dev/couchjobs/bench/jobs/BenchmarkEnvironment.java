package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.bench.DirectoryFiles;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The databases of the systems. Closing it stops the PostgreSQL server that it has started. */
final class BenchmarkEnvironment implements AutoCloseable {
    private static final byte[] STATUS = {
        (byte) 0xff, (byte) 0xff, '/', 's', 't', 'a', 't', 'u', 's', '/', 'j', 's', 'o', 'n'
    };

    private final Path directory;
    private final DatabaseLocation cluster;
    private final @Nullable PostgresServer postgres;

    private BenchmarkEnvironment(Path directory, DatabaseLocation cluster, @Nullable PostgresServer postgres) {
        this.directory = directory;
        this.cluster = cluster;
        this.postgres = postgres;
    }

    /** Starts PostgreSQL if it is installed and one of the systems needs it. */
    static BenchmarkEnvironment start(Path directory, Path programs, Set<SystemKind> systems)
            throws IOException, InterruptedException {
        boolean needsPostgres = systems.stream().anyMatch(SystemKind::isPeer) && PostgresServer.isInstalled(programs);
        return new BenchmarkEnvironment(
                directory,
                DatabaseLocation.ofEnvironment(),
                needsPostgres ? PostgresServer.start(programs, directory) : null);
    }

    /** The reason why a system cannot be measured here; empty if it can. */
    String obstacle(SystemKind system) {
        if (system.isPeer() && postgres == null) {
            return "PostgreSQL is not installed (Debian: apt install postgresql-15; elsewhere: --postgres PATH)";
        }
        if (system == SystemKind.CLUSTER && !(cluster instanceof DatabaseLocation.ClusterFile)) {
            return DatabaseLocation.CLUSTER_FILE_VARIABLE + " names no cluster";
        }
        return "";
    }

    String describePostgres() {
        return postgres == null ? "none" : postgres.version() + ", " + PostgresServer.settings();
    }

    PostgresServer postgres() {
        return Objects.requireNonNull(postgres);
    }

    CpuMeter postgresCpuMeter() {
        return CpuMeter.withServer(postgres().process());
    }

    CouchJobsSystem inMemory(Load load) {
        return new CouchJobsSystem(Databases.open(new DatabaseLocation.InMemory()), new Subspace(), load);
    }

    CouchJobsSystem durable(Load load) {
        try {
            Path parent = Files.createTempDirectory(directory, "bench-jobs-");
            Database database = Databases.open(new DatabaseLocation.Directory(parent.resolve("database")));
            return new CouchJobsSystem(database, new Subspace(), load) {
                @Override
                public void close() {
                    super.close();
                    delete(parent);
                }
            };
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Under a prefix of its own, which closing the system clears. */
    CouchJobsSystem onCluster(Load load) {
        Subspace subspace = new Subspace(Tuple.from("bench", UUID.randomUUID()));
        Database database = Databases.open(cluster);
        return new CouchJobsSystem(database, subspace, load) {
            private final List<Database> connections = new CopyOnWriteArrayList<>();

            @Override
            Database connect() {
                Database connection = Databases.open(cluster);
                connections.add(connection);
                return connection;
            }

            @Override
            public void close() {
                connections.forEach(Database::close);
                database.run(tx -> {
                    tx.clear(subspace.range());
                    return load;
                });
                super.close();
            }
        };
    }

    /** The version, size and configuration of the cluster. */
    String describeCluster() {
        try (Database database = Databases.open(cluster)) {
            byte[] status = database.read(tx -> tx.get(STATUS).join());
            JsonNode clusterStatus = JsonMapper.shared()
                    .readTree(new String(status, StandardCharsets.UTF_8))
                    .path("cluster");
            Iterator<JsonNode> processes = clusterStatus.path("processes").iterator();
            String version =
                    processes.hasNext() ? processes.next().path("version").asString("?") : "?";
            int count = clusterStatus.path("processes").size();
            return "FoundationDB " + version + ", " + count + (count == 1 ? " process, " : " processes, ")
                    + clusterStatus
                            .path("configuration")
                            .path("redundancy_mode")
                            .asString("?") + " "
                    + clusterStatus.path("configuration").path("storage_engine").asString("?");
        }
    }

    private static void delete(Path directory) {
        try {
            DirectoryFiles.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (postgres != null) {
            postgres.close();
        }
    }
}
