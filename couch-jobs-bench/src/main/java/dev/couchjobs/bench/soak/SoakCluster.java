package dev.couchjobs.bench.soak;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A FoundationDB cluster of three processes on this machine, with two replicas; each process can be killed. */
final class SoakCluster implements AutoCloseable {
    private static final int SIZE = 3;
    private static final String CONFIGURE = "configure new double ssd";

    private final Path program;
    private final Path directory;
    private final Path file;
    private final List<Integer> ports;
    private final List<Process> processes = new CopyOnWriteArrayList<>();

    private SoakCluster(Path program, Path directory, List<Integer> ports) {
        this.program = program;
        this.directory = directory;
        this.ports = ports;
        file = directory.resolve("soak.cluster");
    }

    static SoakCluster start(Path program, Path directory) throws IOException {
        SoakCluster cluster = new SoakCluster(program, directory, freePorts(SIZE));
        try {
            Files.writeString(
                    cluster.file,
                    cluster.ports.stream()
                            .map(port -> "127.0.0.1:" + port)
                            .collect(Collectors.joining(",", "soak:1@", "\n")));
            for (int i = 0; i < SIZE; i++) {
                cluster.processes.add(cluster.process(i));
            }
            cluster.configure();
            return cluster;
        } catch (IOException e) {
            cluster.close();
            throw e;
        }
    }

    static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    private Process process(int number) throws IOException {
        Path own = Files.createDirectories(directory.resolve("fdb-" + number));
        return new ProcessBuilder(
                        program.toString(),
                        "--public-address",
                        "127.0.0.1:" + ports.get(number),
                        "--cluster-file",
                        file.toString(),
                        "--datadir",
                        own.resolve("data").toString(),
                        "--logdir",
                        Files.createDirectories(own.resolve("log")).toString(),
                        "--locality-zoneid",
                        "zone-" + number,
                        "--locality-machineid",
                        "machine-" + number,
                        "--memory",
                        "2GiB",
                        "--cache-memory",
                        "256MiB")
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(own.resolve("output").toFile()))
                .start();
    }

    private void configure() throws IOException {
        Process cli = new ProcessBuilder(
                        program.resolveSibling("fdbcli").toString(),
                        "-C",
                        file.toString(),
                        "--timeout",
                        "60",
                        "--exec",
                        CONFIGURE)
                .redirectErrorStream(true)
                .start();
        String printed = new String(cli.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!printed.contains("Database created")) {
            throw new IOException("fdbcli: " + printed.strip());
        }
    }

    Path file() {
        return file;
    }

    int size() {
        return processes.size();
    }

    /** Kills one of the processes, and starts it again with its files. */
    void restart(int number) throws IOException {
        processes.get(number).destroyForcibly().onExit().join();
        processes.set(number, process(number));
    }

    Stream<OptionalLong> pids() {
        return processes.stream()
                .map(process -> process.isAlive() ? OptionalLong.of(process.pid()) : OptionalLong.empty());
    }

    @Override
    public void close() {
        processes.forEach(process -> process.destroyForcibly().onExit().join());
    }
}
