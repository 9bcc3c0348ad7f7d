package dev.couchjobs.server.internal.config;

import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.server.internal.jetty.NetSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.toml.TomlMapper;

/**
 * The configuration of a server.
 *
 * @param place where the jobs are; the command line may say it instead
 * @param needsTokens whether callers need access tokens
 * @param hidden the types whose payloads callers with the role READ do not see
 * @param bridge the bridge to CouchDB
 * @param backups the directory for backups
 */
public record ServerConfig(
        Optional<DatabaseLocation> place,
        Optional<String> host,
        Optional<Integer> port,
        List<String> names,
        boolean needsTokens,
        Set<String> hidden,
        boolean isAudited,
        Optional<NetSettings.Tls> tls,
        Bridge bridge,
        Limits limits,
        Optional<Path> backups) {

    /**
     * A bridge to CouchDB.
     *
     * @param prefix the prefix of its rows; empty for that of the file, or else the standard one
     * @param file the configuration of a bridge that the server runs
     */
    public record Bridge(Optional<String> prefix, Optional<Path> file) {}

    /**
     * Limits for clients.
     *
     * @param requestsPerSecond of one caller, in the long run
     * @param burst of one caller, at once
     */
    public record Limits(
            int bodyBytes,
            int headerBytes,
            int connections,
            int feedClients,
            int requestsPerSecond,
            int burst,
            Duration idleTime,
            Duration transferTime) {}

    private static final int BODY_BYTES = 4 * 1024 * 1024;
    private static final int BODY_BYTES_MAX = 64 * 1024 * 1024;
    private static final int HEADER_BYTES_MAX = 1024 * 1024;
    private static final int FEED_CLIENTS = 1_000;
    private static final int REQUESTS_PER_SECOND = 1_000;
    private static final int BURST = 2_000;
    private static final int MANY = 1_000_000;
    private static final int PORT_MAX = 65_535;

    /** {@return the configuration that an empty file is} */
    public static ServerConfig empty() {
        try {
            return parse("", Path.of(""));
        } catch (ConfigException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Reads a file in TOML.
     *
     * @param file the file; relative paths in it start at its directory
     * @throws ConfigException if the file cannot be read or is invalid
     */
    public static ServerConfig read(Path file) throws ConfigException {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new ConfigException(List.of("cannot be read: " + e));
        }
        return parse(
                text, Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(Path.of("")));
    }

    static ServerConfig parse(String toml, Path directory) throws ConfigException {
        ObjectNode root;
        try {
            root = (ObjectNode) new TomlMapper().readTree(toml);
        } catch (JacksonException e) {
            String line =
                    e.getLocation() == null ? "" : "line " + e.getLocation().getLineNr() + ": ";
            throw new ConfigException(List.of(line + "not TOML: " + e.getOriginalMessage()));
        }
        List<String> mistakes = new ArrayList<>();
        ServerConfig config = config(new ConfigSection("", root, directory, mistakes));
        if (!mistakes.isEmpty()) {
            throw new ConfigException(mistakes);
        }
        return config;
    }

    private static ServerConfig config(ConfigSection root) {
        ServerConfig config = new ServerConfig(
                place(root),
                root.text("host"),
                root.number("port", 0, PORT_MAX),
                root.texts("names"),
                root.flag("tokens").orElse(false),
                Set.copyOf(root.texts("hidden")),
                root.flag("audit").orElse(true),
                tls(root.section("tls")),
                bridge(root.section("bridge")),
                limits(root.section("limits")),
                root.file("backups"));
        root.end();
        return config;
    }

    private static Optional<DatabaseLocation> place(ConfigSection root) {
        Optional<Path> directory = root.file("directory");
        Optional<Path> clusterFile = root.file("cluster_file");
        if (directory.isPresent() && clusterFile.isPresent()) {
            root.mistake("cluster_file", "jobs are in one place: give either directory or cluster_file");
        }
        return directory
                .<DatabaseLocation>map(DatabaseLocation.Directory::new)
                .or(() -> clusterFile.map(DatabaseLocation.ClusterFile::new));
    }

    private static Optional<NetSettings.Tls> tls(ConfigSection section) {
        Optional<Path> certificates = section.file("certificates");
        Optional<Path> key = section.file("key");
        if (certificates.isPresent() != key.isPresent()) {
            section.mistake(certificates.isPresent() ? "key" : "certificates", "is missing: TLS needs both files");
        }
        section.end();
        return certificates.flatMap(chain -> key.map(of -> new NetSettings.Tls(chain, of)));
    }

    private static Bridge bridge(ConfigSection section) {
        Bridge bridge = new Bridge(section.text("prefix"), section.file("file"));
        if (bridge.prefix().isPresent() && bridge.file().isPresent()) {
            section.mistake("prefix", "the file of the bridge has it: leave it out");
        }
        section.end();
        return bridge;
    }

    private static Limits limits(ConfigSection section) {
        Limits limits = new Limits(
                section.number("body_bytes", 1, BODY_BYTES_MAX).orElse(BODY_BYTES),
                section.number("header_bytes", NetSettings.HEADER_BYTES_MIN, HEADER_BYTES_MAX)
                        .orElse(NetSettings.HEADER_BYTES),
                section.number("connections", 1, MANY).orElse(NetSettings.CONNECTIONS),
                section.number("feed_clients", 1, MANY).orElse(FEED_CLIENTS),
                section.number("requests_per_second", 1, MANY).orElse(REQUESTS_PER_SECOND),
                section.number("burst", 1, MANY).orElse(BURST),
                section.duration("idle_time").orElse(NetSettings.IDLE_TIME),
                section.duration("transfer_time").orElse(NetSettings.TRANSFER_TIME));
        section.end();
        return limits;
    }
}
