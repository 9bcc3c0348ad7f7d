package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.internal.couch.Credentials;
import dev.couchjobs.bridge.internal.document.NameSuggestion;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Reads the sections about CouchDB databases. */
final class CouchReader {
    private static final URI NOWHERE = URI.create("http://localhost/none");
    private static final Duration DEFAULT_HEARTBEAT = Duration.ofSeconds(10);

    private final Path directory;
    private final Map<String, String> variables;
    private final Set<String> secrets = new TreeSet<>();

    CouchReader(Path directory, Map<String, String> variables) {
        this.directory = directory;
        this.variables = variables;
    }

    /** {@return the variables that contain passwords} */
    Set<String> secrets() {
        return secrets;
    }

    CouchConfig couch(ConfigSection section) {
        CouchConfig config = new CouchConfig(
                url(section),
                credentials(section),
                section.text("ca_file")
                        .map(path -> directory.resolve(path).normalize())
                        .filter(file -> isThere(section, "ca_file", file)),
                section.flag("create", true),
                section.duration("heartbeat").orElse(DEFAULT_HEARTBEAT));
        section.end();
        return config;
    }

    /** Reads the databases on other servers that a person may choose while the bridge runs. */
    SortedMap<String, ReplicationConfig.Peer> others(ConfigSection section) {
        SortedMap<String, ReplicationConfig.Peer> read = new TreeMap<>();
        for (String name : section.names()) {
            ConfigSection database = section.section(name);
            read.put(name, new ReplicationConfig.Peer(url(database), credentials(database)));
            database.end();
        }
        return read;
    }

    ReplicationConfig replication(ConfigSection section, String node, List<String> nodes) {
        ConfigSection peers = section.section("peers");
        SortedMap<String, ReplicationConfig.Peer> read = new TreeMap<>();
        for (String peer : peers.names()) {
            if (peer.equals(node)) {
                peers.mistake(peer, "is this node itself");
            } else if (!nodes.contains(peer)) {
                peers.mistake(peer, "is not one of cluster.nodes" + NameSuggestion.hint(peer, nodes));
            }
            ConfigSection database = peers.section(peer);
            read.put(peer, new ReplicationConfig.Peer(url(database), credentials(database)));
            database.end();
        }
        boolean isSelective = section.flag("selector", false);
        section.end();
        return new ReplicationConfig(read, isSelective);
    }

    private static URI url(ConfigSection section) {
        if (!section.has("url")) {
            section.required("url");
            return NOWHERE;
        }
        URI url = section.url("url").orElse(NOWHERE);
        if (url.getRawUserInfo() != null) {
            section.mistake("url", "must not contain a name or a password; use the keys user and password_file");
        }
        if (url.getPath() == null || url.getPath().replace("/", "").isEmpty()) {
            section.mistake("url", "names a server, but no database on it; add one, as in http://localhost:5984/jobs");
        }
        return url;
    }

    private Credentials credentials(ConfigSection section) {
        Optional<String> user = section.text("user");
        Optional<String> password = password(section);
        Optional<String> auth = section.text("auth");
        if (user.isPresent() != password.isPresent()) {
            section.mistake(
                    user.isPresent() ? "user" : "password",
                    "a user and a password (password, password_file or password_env) are given together or not at all");
        }
        boolean isCookie = auth.equals(Optional.of("cookie"));
        if (auth.isPresent() && !isCookie && !auth.equals(Optional.of("basic"))) {
            section.mistake("auth", "has to be \"basic\" or \"cookie\"");
        }
        if (user.isEmpty() || password.isEmpty()) {
            return new Credentials.None();
        }
        return isCookie
                ? new Credentials.Cookie(user.get(), password.get())
                : new Credentials.Basic(user.get(), password.get());
    }

    private Optional<String> password(ConfigSection section) {
        Optional<String> literal = section.text("password");
        Optional<String> file = section.text("password_file");
        Optional<String> variable = section.text("password_env");
        variable.ifPresent(secrets::add);
        if (Stream.of(literal, file, variable).filter(Optional::isPresent).count() > 1) {
            section.mistake("password", "only one of password, password_file and password_env can be given");
        }
        // A password that cannot be read is replaced by a placeholder, so that it is not also reported as missing.
        return literal.or(() -> file.map(name -> fromFile(section, name)))
                .or(() -> variable.map(name -> fromVariable(section, name)));
    }

    private String fromFile(ConfigSection section, String name) {
        try {
            return Files.readString(directory.resolve(name)).strip();
        } catch (IOException e) {
            section.mistake("password_file", "cannot be read: " + directory.resolve(name));
            return "";
        }
    }

    private String fromVariable(ConfigSection section, String name) {
        return Optional.ofNullable(variables.get(name)).orElseGet(() -> {
            section.mistake("password_env", "there is no variable " + name + " in the environment");
            return "";
        });
    }

    private static boolean isThere(ConfigSection section, String key, Path file) {
        if (!Files.isReadable(file)) {
            section.mistake(key, "cannot be read: " + file);
        }
        return true;
    }
}
