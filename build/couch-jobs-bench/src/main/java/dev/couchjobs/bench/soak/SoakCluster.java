package dev.couchjobs.bench.soak;

import dev.couchjobs.bench.FdbPrograms;
import dev.couchjobs.bench.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A FoundationDB cluster of three processes on this machine, with two replicas; each process can be killed. */
final class SoakCluster implements AutoCloseable {
    private static final int SIZE = 3;
    private static final String CONFIGURATION = "double ssd";

    private final FdbPrograms programs;
    private final Path directory;
    private final Path file;
    private final List<Integer> ports;
    private final List<Process> processes = new CopyOnWriteArrayList<>();

    private SoakCluster(FdbPrograms programs, Path directory, List<Integer> ports) {
        this.programs = programs;
        this.directory = directory;
        this.ports = ports;
        file = directory.resolve("soak.cluster");
    }

    /** Starts a cluster of the {@code fdbserver} that is given, and the {@code fdbcli} beside it. */
    static SoakCluster start(Path program, Path directory) throws IOException, InterruptedException {
        FdbPrograms programs = new FdbPrograms(
                program.toString(), program.resolveSibling("fdbcli").toString());
        SoakCluster cluster = new SoakCluster(programs, directory, FreePorts.of(SIZE));
        try {
            Files.writeString(
                    cluster.file,
                    cluster.ports.stream()
                            .map(port -> "127.0.0.1:" + port)
                            .collect(Collectors.joining(",", "soak:1@", "\n")));
            for (int i = 0; i < SIZE; i++) {
                cluster.processes.add(cluster.process(i));
            }
            programs.configure(cluster.file, CONFIGURATION);
            return cluster;
        } catch (IOException | InterruptedException e) {
            cluster.close();
            throw e;
        }
    }

    private Process process(int number) throws IOException {
        Path own = Files.createDirectories(directory.resolve("fdb-" + number));
        return programs.start(
                ports.get(number),
                file,
                List.of(
                        "--datadir",
                        own.resolve("data").toString(),
                        "--logdir",
                        Files.createDirectories(own.resolve("log")).toString(),
                        "--locality-zoneid",
                        "zone-" + number,
                        "--locality-machineid",
                        "machine-" + number,
                        "--memory",
                        "2GiB"),
                own.resolve("output"));
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
