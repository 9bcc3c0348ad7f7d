package dev.couchjobs.bench.jobs;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.couchjobs.bench.DirectoryFiles;
import dev.couchjobs.bench.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A PostgreSQL server for the benchmarks, in a new directory and on a free port. */
public final class PostgresServer implements AutoCloseable {
    /**
     * Durability as it is by default; memory as PostgreSQL's manual advises (section 20.4: a quarter of the memory, and
     * here all rows fit into it); checkpoints far enough apart not to disturb a measurement; no just-in-time compiler
     * (section 32.2: for long queries only).
     */
    private static final Map<String, String> SETTINGS = new TreeMap<>(Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "full_page_writes", "on",
            "shared_buffers", "2GB",
            "effective_cache_size", "6GB",
            "max_wal_size", "8GB",
            "checkpoint_timeout", "15min",
            "wal_buffers", "16MB",
            "jit", "off",
            "max_connections", "400"));

    private static final String USER = "postgres";

    private final Path programs;
    private final Path directory;
    private final int port;
    private final AtomicInteger databases = new AtomicInteger();

    private PostgresServer(Path programs, Path directory, int port) {
        this.programs = programs;
        this.directory = directory;
        this.port = port;
    }

    /**
     * {@return whether PostgreSQL's programs are in a directory}
     *
     * @param programs the directory
     */
    public static boolean isInstalled(Path programs) {
        return Files.isExecutable(programs.resolve("initdb"));
    }

    /**
     * Creates a cluster and starts it. PostgreSQL refuses to run as root, so root runs it as another user.
     *
     * @param programs the directory of PostgreSQL's programs
     * @param parent where to make the directory of the cluster
     * @return the server
     * @throws IOException if it does not start
     * @throws InterruptedException if the thread is interrupted
     */
    public static PostgresServer start(Path programs, Path parent) throws IOException, InterruptedException {
        Files.createDirectories(parent);
        Path directory = Files.createTempDirectory(parent, "postgresql-");
        if (isRoot()) {
            Files.setOwner(
                    directory,
                    directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
        }
        PostgresServer server = new PostgresServer(programs, directory, FreePorts.one());
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        server.run("initdb", "-D", server.data(), "-U", USER, "-A", "trust", "-E", "UTF8", "--no-instructions");
        List<String> options = new ArrayList<>(List.of("-p " + server.port, "-k " + directory, "-h 127.0.0.1"));
        SETTINGS.forEach((name, value) -> options.add("-c " + name + "=" + value));
        server.run(
                "pg_ctl",
                "start",
                "-w",
                "-D",
                server.data(),
                "-l",
                directory.resolve("log").toString(),
                "-o",
                String.join(" ", options));
        return server;
    }

    /** {@return the settings of the servers} */
    public static String settings() {
        List<String> parts = new ArrayList<>();
        SETTINGS.forEach((name, value) -> parts.add(name + " " + value));
        return String.join(", ", parts);
    }

    /** {@return the version of the server} */
    public String version() {
        try (Connection connection = DriverManager.getConnection(url("postgres"), USER, null)) {
            return connection.getMetaData().getDatabaseProductVersion();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The main process of the server, the ancestor of its other processes. */
    ProcessHandle process() {
        try {
            String pid = Files.readAllLines(Path.of(data(), "postmaster.pid")).get(0);
            return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Creates an empty database.
     *
     * @return its name
     */
    public String createDatabase() {
        String name = "jobs" + databases.incrementAndGet();
        execute("create database " + name);
        return name;
    }

    /**
     * Removes a database.
     *
     * @param name its name
     */
    public void dropDatabase(String name) {
        execute("drop database " + name + " with (force)");
    }

    /**
     * A pool of connections to a database; batches of inserts travel as one, as the driver's manual advises.
     *
     * @param database its name
     * @param connections how many at most
     * @return the pool
     */
    public HikariDataSource pool(String database, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url(database) + "?reWriteBatchedInserts=true");
        config.setUsername(USER);
        config.setMaximumPoolSize(connections);
        return new HikariDataSource(config);
    }

    /** May be called twice. */
    @Override
    public synchronized void close() {
        if (!Files.exists(directory)) {
            return;
        }
        try {
            if (Files.exists(directory.resolve("data").resolve("postmaster.pid"))) {
                run("pg_ctl", "stop", "-w", "-m", "fast", "-D", data());
            }
            DirectoryFiles.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(url("postgres"), USER, null);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    private String data() {
        return directory.resolve("data").toString();
    }

    private void run(String program, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        if (isRoot()) {
            command.addAll(List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--init-groups", "--"));
        }
        command.add(programs.resolve(program).toString());
        command.addAll(List.of(words));
        Path output = Files.createTempFile("postgresql-", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        int result = process.waitFor();
        String printed = Files.readString(output, StandardCharsets.UTF_8);
        Files.delete(output);
        if (result != 0) {
            throw new IOException(String.join(" ", command) + " failed:\n" + printed + log());
        }
    }

    private String log() throws IOException {
        Path log = directory.resolve("log");
        if (!Files.exists(log)) {
            return "";
        }
        try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
            return String.join("\n", lines.toList());
        }
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }
}
