package dev.couchjobs.bridge.acceptance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Writes the configuration of one node of a test. */
final class NodeFile {
    static final String GLOBAL = "global_node";
    static final String REG_A = "reg_a";
    static final String REG_B = "reg_b";
    /** The names of the thesis. */
    static final List<String> ALL = List.of(GLOBAL, REG_A, REG_B);

    private final String node;
    private final JoinFixture join;
    private final URI database;
    private final Map<String, URI> peers = new TreeMap<>();
    private int workers = 4;
    private String more = "";

    NodeFile(String node, JoinFixture join, URI database) {
        this.node = node;
        this.join = join;
        this.database = database;
    }

    NodeFile workers(int count) {
        workers = count;
        return this;
    }

    /** Adds the database of another node as a peer. */
    NodeFile peer(String name, URI address) {
        peers.put(name, address);
        return this;
    }

    /** Adds another server, with a database, to which the node may be sent at run time. */
    NodeFile other(String name, URI address) {
        return with("[couchdb.others." + name + "]\n" + database(address));
    }

    /** Adds sections in TOML. */
    NodeFile with(String sections) {
        more += sections + '\n';
        return this;
    }

    /** {@return the file, in the directory of the node's commands and data} */
    Path write(Path directory) {
        String toml = """
                node = '%s'
                workers = %d
                [cluster]
                nodes = [%s]
                join = '%s'
                groups.regional = ['reg_a', 'reg_b']
                [couchdb]
                %s
                heartbeat = '1s'
                [engine]
                %s
                [shell]
                enabled = true
                directory = '.'
                grace = '1s'
                [http]
                hosts = ['127.0.0.1:*']
                %s
                %s
                """.formatted(
                        node, workers, names(), join.name(), database(database), join.engine(node), peers(), more);
        try {
            return Files.writeString(Files.createDirectories(directory).resolve("bridge.toml"), toml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String names() {
        return ALL.stream().map(name -> "'" + name + "'").collect(Collectors.joining(", "));
    }

    private String peers() {
        return peers.entrySet().stream()
                .map(peer -> "[replication.peers." + peer.getKey() + "]\n" + database(peer.getValue()))
                .collect(Collectors.joining("\n"));
    }

    private static String database(URI address) {
        String[] user = Optional.ofNullable(address.getUserInfo()).orElse("").split(":", 2);
        String url = "url = '" + withoutUser(address) + "'";
        return user.length < 2 ? url : url + "\nuser = '" + user[0] + "'\npassword = '" + user[1] + "'";
    }

    /** {@return an address without name and password, as a bridge is given it} */
    static URI withoutUser(URI address) {
        return URI.create(address.toString().replaceFirst("//[^/@]*@", "//"));
    }
}
