package dev.couchjobs.bench.thesis;

import com.apple.foundationdb.Database;
import dev.couchjobs.bench.DirectoryFiles;
import dev.couchjobs.bridge.Bridge;
import dev.couchjobs.bridge.BridgeBuilder;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The nodes of one test: a database in each server, replicated both ways, and a bridge for each. */
final class EvaluationNodes implements AutoCloseable {
    private final List<Couch> databases = new ArrayList<>();
    private final List<Bridge> bridges = new ArrayList<>();
    private final Optional<Database> shared;
    private final Path directory;

    EvaluationNodes(Servers servers, TestedJoinMode testedJoinMode, int count, String name, Path directory)
            throws IOException {
        this.directory = directory;
        this.shared = testedJoinMode == TestedJoinMode.SHARED
                ? Optional.of(EmbeddedDatabase.open(directory.resolve("shared")))
                : Optional.empty();
        for (int node = 0; node < count; node++) {
            databases.add(new Couch(servers.address(node), name + "-" + node));
        }
        for (int node = 0; node < count; node++) {
            Path file =
                    Files.writeString(directory.resolve("node" + node + ".toml"), configuration(servers, node, count));
            BridgeBuilder bridge = Bridge.of(file);
            shared.ifPresent(bridge::database);
            bridges.add(bridge.start());
        }
    }

    Couch creator() {
        return databases.get(0);
    }

    /** Waits until a job with a step for all nodes has succeeded: then all replications work. */
    void awaitReplication() throws IOException, InterruptedException {
        Couch couch = creator();
        while (true) {
            try {
                var unused = couch.send(
                        "PUT", "/first", "{\"creator\":\"node0\",\"job\":[{\"target\":\"all\",\"do\":\"true\"}]}");
                break;
            } catch (IOException e) { // the bridge has not created the database yet
                Thread.sleep(100);
            }
        }
        while (!couch.send("GET", "/first", "").path("job_status").asString("").equals("success")) {
            Thread.sleep(100);
        }
    }

    private String configuration(Servers servers, int node, int count) {
        List<String> names =
                IntStream.range(0, count).mapToObj(i -> "\"node" + i + "\"").toList();
        StringBuilder text = new StringBuilder("""
                node = "node%d"
                workers = %d
                [cluster]
                nodes = %s
                join = "%s"
                [engine]
                %s
                [shell]
                enabled = true
                """.formatted(
                        node,
                        Evaluation.WORKERS,
                        names,
                        shared.isPresent() ? "foundationdb" : "replication",
                        shared.isPresent() ? "cluster_file = \"given\"" : "directory = \"data" + node + "\""));
        text.append("[couchdb]\n").append(database(servers, node));
        for (int peer = 0; peer < count; peer++) {
            if (peer != node) {
                text.append("[replication.peers.node" + peer + "]\n").append(database(servers, peer));
            }
        }
        return text.toString();
    }

    private String database(Servers servers, int node) {
        String text = "url = \"" + databases.get(node).address() + "\"\n";
        Optional<String[]> user =
                Optional.ofNullable(servers.address(node)).map(URI::getUserInfo).map(info -> info.split(":", 2));
        return text
                + user.map(parts -> "user = \"" + parts[0] + "\"\npassword = \"" + parts[1] + "\"\n")
                        .orElse("");
    }

    @Override
    public void close() {
        bridges.forEach(Bridge::close);
        shared.ifPresent(Database::close);
        for (Couch database : databases) {
            try {
                var unused = database.send("DELETE", "", "");
            } catch (IOException e) {
                System.err.println(e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        try {
            DirectoryFiles.delete(directory);
        } catch (IOException e) {
            System.err.println(e.getMessage());
        }
    }
}
